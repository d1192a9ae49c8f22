import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../../package.json';

const ROOT = path.resolve(__dirname, '../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const list = (folder: string) =>
	readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
		.filter((file) => /\.(md|json|m?ts)$/.test(file))
		.map((file) => path.join(folder, file));

test('The address of the repository, which does not exist yet, is in no document: their links are relative', () => {
	const documents = ['.', 'examples', 'sandbox', 'docs'].flatMap((folder) =>
		readdirSync(path.join(ROOT, folder))
			.filter((file) => file.endsWith('.md'))
			.map((file) => path.join(folder, file)),
	);
	expect(documents.filter((file) => read(file).includes(manifest.homepage))).toEqual([]);
});

test('The README names the file that npm pack writes', () => {
	const files = read('README.md').match(/[\w.-]+\.tgz/g);
	expect(new Set(files)).toEqual(new Set([`${manifest.name}-${manifest.version}.tgz`]));
});

test('Documents, scripts and examples need nothing that n8n 3.0 removes, or name the version that does', () => {
	const REMOVED =
		/OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS|N8N_BINARY_DATA_STORAGE_PATH|N8N_RUNNERS_MODE|\bWEBHOOK_URL|\$getPairedItem|BINARY_DATA_MODE=default/;
	const lines = ['README.md', ...['docs', 'examples', 'scripts'].flatMap(list)]
		.filter((file) => file !== path.join('docs', 'development.md'))
		.flatMap((file) => read(file).split('\n'));
	const removed = lines.filter((line) => REMOVED.test(line) && !line.includes('before n8n 3'));
	expect(removed).toEqual([]);
});
