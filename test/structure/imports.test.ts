import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const ROOT = path.resolve(__dirname, '../..');

/** Every TypeScript file of a folder, relative to the project. */
function listFiles(folder: string): string[] {
	return fs
		.readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.ts'))
		.map((file) => path.posix.join(folder, file.split(path.sep).join('/')));
}

/** What a file imports: a path relative to the project, or a package's name. */
function readImports(file: string): string[] {
	const { importedFiles } = ts.preProcessFile(fs.readFileSync(path.join(ROOT, file), 'utf8'));
	return importedFiles.map(({ fileName }) =>
		fileName.startsWith('.') ? path.posix.join(path.posix.dirname(file), fileName) : fileName,
	);
}

const isInside = (folder: string) => (name: string) => name.startsWith(`${folder}/`);

function findImports(files: string[], isForbidden: (imported: string) => boolean) {
	return files.flatMap((file) =>
		readImports(file)
			.filter(isForbidden)
			.map((imported) => `${file} imports ${imported}`),
	);
}

const published = [...listFiles('nodes'), ...listFiles('credentials')];
const policy = listFiles('nodes/VideoGeneration/request');

describe('The house', () => {
	test('has published code that imports n8n-workflow and itself alone', () => {
		const isOutside = (name: string) =>
			name !== 'n8n-workflow' && !isInside('nodes')(name) && !isInside('credentials')(name);
		expect(published.length).toBeGreaterThan(20);
		expect(findImports(published, isOutside)).toEqual([]);
	});

	test('has a sandbox that shares no code with the nodes', () => {
		const isForeign = (name: string) =>
			['nodes', 'credentials', 'test', 'scripts'].some((folder) => isInside(folder)(name));
		expect(findImports(listFiles('sandbox'), isForeign)).toEqual([]);
	});

	test('has a domain of the sandbox that imports nothing but itself', () => {
		const isOutside = (name: string) =>
			!isInside('sandbox/domain')(name) && !name.startsWith('node:');
		expect(findImports(listFiles('sandbox/domain'), isOutside)).toEqual([]);
	});

	test('has nothing that imports tests, and no code that imports scripts but the tests', () => {
		expect(
			findImports(
				[...published, ...listFiles('sandbox'), ...listFiles('scripts')],
				isInside('test'),
			),
		).toEqual([]);
		expect(findImports([...published, ...listFiles('sandbox')], isInside('scripts'))).toEqual([]);
	});

	test('has a request policy that knows no operation and no picker', () => {
		const isAbove = (name: string) =>
			/\/(resources|listSearch|loadOptions|download|completion|run)\//.test(name) ||
			name.endsWith('.node');
		expect(findImports(policy, isAbove)).toEqual([]);
	});

	test('has failures that know nothing of requests', () => {
		const isAbove = (name: string) => !isInside('nodes/VideoGeneration/failures')(name);
		const files = listFiles('nodes/VideoGeneration/failures');
		expect(files.length).toBeGreaterThan(5);
		expect(findImports(files, (name) => isAbove(name) && name !== 'n8n-workflow')).toEqual([]);
	});

	test('has a trigger and downloads that know no node, no picker and no parameter', () => {
		const isAbove = (name: string) =>
			/\/(resources|listSearch|loadOptions|run|completion)\//.test(name) || name.endsWith('.node');
		for (const folder of ['trigger', 'download']) {
			const files = listFiles(`nodes/VideoGeneration/${folder}`);
			expect(files.length).toBeGreaterThan(3);
			expect(findImports(files, isAbove)).toEqual([]);
		}
	});

	test('has a cursor that sends nothing and stores nothing', () => {
		const isImpure = (name: string) => /\/(download|cursorStore|poll|videoLog)/.test(name);
		const files = ['cursor', 'cursorFormat'].map(
			(name) => `nodes/VideoGeneration/trigger/${name}.ts`,
		);
		expect(findImports(files, isImpure)).toEqual([]);
	});

	test('names no file after what it is not for', () => {
		const names = [
			...published,
			...listFiles('sandbox'),
			...listFiles('scripts'),
			...listFiles('test'),
		];
		expect(
			names.filter(
				(name) =>
					/(utils?|helpers?|common|generic)/i.test(path.posix.basename(name)) &&
					!name.includes('CredentialsHelper'),
			),
		).toEqual([]);
	});
});
