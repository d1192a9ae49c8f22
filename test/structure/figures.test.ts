import { readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');

/** Which figures `npm run bench -- report` writes into which document. */
const BLOCKS = {
	'docs/paying-once.md': ['ledger'],
	'docs/security.md': ['hostile'],
	'docs/scaling.md': ['queueMode', 'poll', 'manyTriggers'],
};

describe.each(Object.entries(BLOCKS))('%s', (file, names) => {
	const blocks = [
		...readFileSync(path.join(ROOT, file), 'utf8').matchAll(
			/<!-- measured: (\w+) -->\n(.*?)<!-- end -->/gs,
		),
	];

	test('has a place for each of its figures, which the report has filled', () => {
		expect(blocks.map(([, name]) => name)).toEqual(names);
		for (const [, , figures] of blocks) expect(figures).toMatch(/^\|.*\d.*\|$/m);
	});
});
