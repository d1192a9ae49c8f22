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
});

describe('The address of the repository, which does not exist yet,', () => {
	const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
	const { homepage, repository } = JSON.parse(read('package.json')) as {
		homepage: string;
		repository: { url: string };
	};

	test('is in no document: their links are relative', () => {
		expect(DOCUMENTS.filter((file) => read(file).includes(homepage))).toEqual([]);
	});

	test('is that of package.json where n8n needs a whole address', () => {
		expect(repository.url).toBe(`git+${homepage}.git`);
		const files = [
			'credentials/VideoGenerationApi.credentials.ts',
			'nodes/VideoGeneration/VideoGeneration.node.json',
			'nodes/VideoGeneration/VideoGenerationTrigger.node.json',
		];
		for (const file of files) {
			const links = [...read(file).matchAll(/https:\/\/github\.com\/[^'"]+/g)].map(([url]) => url);
			expect(links.length).toBeGreaterThan(0);
			const pages = links.map((url) => url.replace(/#(credentials|readme)$/, ''));
			expect(new Set(pages)).toEqual(new Set([homepage]));
		}
		expect(read('README.md')).toContain('\n## Credentials\n');
	});
});

test('The README names the file that npm pack writes', () => {
	const { name, version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
		name: string;
		version: string;
	};
	const files = readFileSync(path.join(ROOT, 'README.md'), 'utf8').match(/[\w.-]+\.tgz/g);
	expect(new Set(files)).toEqual(new Set([`${name}-${version}.tgz`]));
});

test('Documents, scripts and examples need nothing that n8n 3.0 removes, or name the version that does', () => {
	const REMOVED =
		/OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS|N8N_BINARY_DATA_STORAGE_PATH|N8N_RUNNERS_MODE|\bWEBHOOK_URL|\$getPairedItem|BINARY_DATA_MODE=default/;
	const list = (folder: string) =>
		readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
			.filter((file) => /\.(md|json|m?ts)$/.test(file))
			.map((file) => path.join(folder, file));
	const lines = ['README.md', ...['docs', 'examples', 'scripts'].flatMap(list)]
		.filter((file) => file !== path.join('docs', 'development.md'))
		.flatMap((file) => readFileSync(path.join(ROOT, file), 'utf8').split('\n'));
	const removed = lines.filter((line) => REMOVED.test(line) && !line.includes('before n8n 3'));
	expect(removed).toEqual([]);
});
