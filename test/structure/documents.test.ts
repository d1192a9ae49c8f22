import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');

const DOCUMENTS = [
	...['README.md', 'CHANGELOG.md', 'SECURITY.md', 'CODE_OF_CONDUCT.md'],
	...['examples/README.md', 'sandbox/README.md'],
	...readdirSync(path.join(ROOT, 'docs'))
		.filter((file) => file.endsWith('.md'))
		.map((file) => `docs/${file}`),
];

/** The figures that `npm run bench -- report` writes into each document. */
const FIGURES: Record<string, string[]> = {
	'docs/paying-once.md': ['ledger'],
	'docs/security.md': ['hostile'],
	'docs/scaling.md': ['queueMode', 'poll', 'manyTriggers'],
	'docs/comparison.md': ['compare'],
};

const TABLE_HEAD = /^\|.*\|\n\| *:?-+/;

describe.each(DOCUMENTS)('%s', (file) => {
	const text = readFileSync(path.join(ROOT, file), 'utf8');
	const prose = text.replace(/^```.*?^```$/gms, '');

	test('reads as one text: nothing is left of a merge', () => {
		expect(text).not.toMatch(/^(<<<<<<<|=======$|>>>>>>>|(> ){4,})/m);
	});

	test('has whole tables: each begins with its head, and a comment stands in none', () => {
		const tables = prose.split(/\n\s*\n/).filter((block) => /^\s*\|/m.test(block));
		expect(tables.filter((table) => !TABLE_HEAD.test(table))).toEqual([]);
		expect(prose.match(/^\|.*<!--.*$/gm)).toBeNull();
	});

	test('has a place for each of its figures, which the report has filled', () => {
		const blocks = [...text.matchAll(/^<!-- measured: (\w+) -->\n(.*?)^<!-- end -->$/gms)];
		expect(blocks.map(([, name]) => name)).toEqual(FIGURES[file] ?? []);
		for (const [, , figures] of blocks) expect(figures).toMatch(/\d/);
	});
});

test('The README and the documents have at most 8,500 words, as wc counts them', () => {
	const pages = DOCUMENTS.filter((file) => file === 'README.md' || file.startsWith('docs/'));
	const words = pages.flatMap((file) =>
		readFileSync(path.join(ROOT, file), 'utf8').split(/\s+/).filter(Boolean),
	);
	expect(words.length).toBeLessThanOrEqual(8_500);
});
