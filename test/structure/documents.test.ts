import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import current from '../../scripts/n8n/package.json';
import { NODE_MAJORS, OLDEST_N8N } from '../../scripts/requirements';
import sharp from 'sharp';
import engine from 'n8n-core/package.json';
import manifest from '../../package.json';
import { listMissingFeatures } from '../support/engine/testWith';

const read = (file: string) => readFileSync(file, 'utf8');
const list = (folder: string) =>
	readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.filter((file) => /\.(md|json|m?ts)$/.test(file))
		.map((file) => join(folder, file));

const README = read('README.md').replace(/\s+/g, ' ');
const VERSIONS = readdirSync('scripts/versions').sort((a, b) =>
	a.localeCompare(b, 'en', { numeric: true }),
);

test('The README names the versions of n8n and of Node.js that the tests run on', () => {
	const enumerate = (words: (string | number)[]) =>
		`${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
	const versions = enumerate([...VERSIONS, current.dependencies.n8n]);
	expect(VERSIONS[0]).toBe(OLDEST_N8N);
	expect(README).toContain(
		`Works with n8n ${OLDEST_N8N} and later; tested with n8n ${versions}, and loaded in Node.js ${enumerate(NODE_MAJORS)}.`,
	);
	const oldestNode = `${Math.min(...NODE_MAJORS)}.19`;
	expect(manifest.engines.node).toMatch(`^${oldestNode}`);
	expect(README).toContain(`Node.js ${oldestNode} or later`);
});

test('Every version is tested once a week', () => {
	const tested = [...read('.github/workflows/versions.yml').matchAll(/test:engine -- (.+)/g)];
	expect(tested.map(([, version]) => version)).toEqual(VERSIONS);
});

test('No engine test is left out in the newest n8n, which the other tests install as well', () => {
	expect(listMissingFeatures()).toEqual([]);
	expect(engine.version).toBe(current.dependencies.n8n);
});

test('The README names the file that npm pack writes', () => {
	const files = README.match(/[\w.-]+\.tgz/g);
	expect(new Set(files)).toEqual(new Set([`${manifest.name}-${manifest.version}.tgz`]));
});

test('The address of the repository, which does not exist yet, is in no document: their links are relative', () => {
	const documents = ['docs', 'examples', 'sandbox'].flatMap(list);
	const root = readdirSync('.').filter((file) => file.endsWith('.md'));
	expect([...root, ...documents].filter((file) => read(file).includes(manifest.homepage))).toEqual(
		[],
	);
});

test('Documents, scripts and examples need nothing that n8n 3.0 removes, or name the version that does', () => {
	const REMOVED =
		/OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS|N8N_BINARY_DATA_STORAGE_PATH|N8N_RUNNERS_MODE|\bWEBHOOK_URL|\$getPairedItem|BINARY_DATA_MODE=default/;
	const lines = ['README.md', ...['docs', 'examples', 'scripts'].flatMap(list)]
		.filter((file) => file !== join('docs', 'development.md'))
		.flatMap((file) => read(file).split('\n'));
	const removed = lines.filter((line) => REMOVED.test(line) && !line.includes('before n8n 3'));
	expect(removed).toEqual([]);
});

test('The pictures that a page shows are there, by relative paths, and each is shown', () => {
	const shown = ['README.md', 'examples/README.md'].flatMap((page) =>
		[...read(page).matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, file = '']) =>
			join(dirname(page), file),
		),
	);
	const pictures = readdirSync('docs/pictures').map((file) => join('docs/pictures', file));
	expect(pictures.filter((file) => !shown.includes(file))).toEqual([]);
	expect(shown.filter((file) => !existsSync(file))).toEqual([]);
});

test('The moving pictures play for 10 to 20 seconds, and no picture is larger than 1.5 MB', async () => {
	const pictures = readdirSync('docs/pictures').map((file) => join('docs/pictures', file));
	expect(pictures.filter((file) => statSync(file).size > 1_500_000)).toEqual([]);
	const moving = pictures.filter((file) => file.endsWith('.webp'));
	expect(moving).toHaveLength(2);
	for (const file of moving) {
		const { delay = [] } = await sharp(file, { animated: true }).metadata();
		const seconds = delay.reduce((sum, ms) => sum + ms, 0) / 1000;
		expect(seconds).toBeGreaterThan(10);
		expect(seconds).toBeLessThan(20);
	}
});

/** The documents for users, the README first. */
const USER_DOCUMENTS = [
	'README.md',
	...list('docs').filter((file) => /(?<!development)\.md$/.test(file)),
];

test('The README and the documents for users have 4,400 words at most beside the operations, and the examples 1,100', () => {
	// The README names every operation, however many there are.
	const readOwn = (file: string) => read(file).replace(/^## Operations$[^]*?(?=^## )/m, '');
	const countWords = (file: string) => readOwn(file).split(/\s+/).filter(Boolean).length;
	const words = USER_DOCUMENTS.reduce((sum, file) => sum + countWords(file), 0);
	expect(words).toBeLessThanOrEqual(4_400);
	expect(countWords('examples/README.md')).toBeLessThanOrEqual(1_100);
});

test("No text that users read has a word of the code's own", () => {
	const words = /\b(?:came out|owed|wish(?:es)?|mistrust\w*)\b/i;
	const documents = [...USER_DOCUMENTS, 'examples/README.md'].flatMap((file) =>
		read(file)
			.split(/\n(?=\n|- )/)
			.map((text) => text.replace(/\s+/g, ' ')),
	);
	// What "adds" writes is for n8n's store.
	const displayed = ['credentials', 'examples', 'nodes']
		.flatMap(list)
		.filter((file) => !file.includes(`${sep}adds${sep}`))
		.flatMap((file) => {
			const code = read(file).replace(/\/\*[^]*?\*\/|^\s*\/\/.*/gm, '');
			return code.match(/'(?:\\.|[^\\'\n])*'|"(?:\\.|[^\\"\n])*"|`(?:\\.|[^\\`])*`/g) ?? [];
		});
	expect(displayed).toContainEqual(expect.stringContaining("'Unique Key' was returned before"));
	expect([...documents, ...displayed].filter((text) => words.test(text))).toEqual([]);
});

test('The README has what a person needs to try the package in its first third', () => {
	const text = read('README.md');
	expect(text.indexOf('npm start')).toBeGreaterThan(0);
	expect(text.indexOf('npm start')).toBeLessThan(text.length / 3);
	expect(text.indexOf('npm start')).toBeLessThan(text.indexOf('docker'));
});
