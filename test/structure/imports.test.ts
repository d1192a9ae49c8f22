import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const ROOT = path.resolve(__dirname, '../..');

/** Lists every TypeScript file of a folder, relative to the project. */
function listFiles(folder: string): string[] {
	return fs
		.readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
		.filter((file) => /\.m?ts$/.test(file))
		.map((file) => path.posix.join(folder, file.split(path.sep).join('/')));
}

const read = (file: string) => fs.readFileSync(path.join(ROOT, file), 'utf8');

/** Returns the imports of a file: paths relative to the project, or names of packages. */
function readImports(file: string): string[] {
	const { importedFiles } = ts.preProcessFile(read(file));
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

/**
 * The folders of the nodes that each folder may import, besides itself. The classes of the nodes
 * and the credential's own modules are exempt.
 */
const BELOW: Record<string, string[]> = {
	listSearch: ['api', 'failures'],
	trigger: ['resources', 'execution', 'download', 'api', 'failures'],
	resources: ['execution', 'waiting', 'download', 'api', 'failures'],
	execution: ['waiting', 'download', 'api', 'failures'],
	waiting: ['api', 'failures'],
	download: ['api', 'failures'],
	api: ['failures'],
	failures: [],
};
const findRoom = (name: string) => /^nodes\/VideoGeneration\/(\w+)\//.exec(name)?.[1];

/** Files with a WeakMap for objects of n8n: for timeouts, for listeners, for what only this process knows of an item, and for a run's videos. */
const WEAK_MAPS = [
	'credentials/VideoGenerationApi.credentials.ts',
	'nodes/VideoGeneration/api/pacing.ts',
	'nodes/VideoGeneration/execution/memory.ts',
	'nodes/VideoGeneration/waiting/accountVideos.ts',
];

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

	test('has rooms that import downwards alone, each of which is known here', () => {
		expect([...new Set(listFiles('nodes').flatMap((file) => findRoom(file) ?? []))].sort()).toEqual(
			Object.keys(BELOW).sort(),
		);
		const isAbove = (room: string) => (name: string) => {
			const imported = findRoom(name);
			if (isInside('nodes')(name) && imported === undefined) return true;
			return imported !== undefined && imported !== room && !BELOW[room]?.includes(imported);
		};
		const upwards = Object.keys(BELOW).flatMap((room) =>
			findImports(listFiles(`nodes/VideoGeneration/${room}`), isAbove(room)),
		);
		expect(upwards).toEqual([]);
	});

	test('has a credential that imports nothing of the nodes, and failures that import nothing of it', () => {
		expect(findImports(listFiles('credentials'), isInside('nodes'))).toEqual([]);
		const failures = listFiles('nodes/VideoGeneration/failures');
		expect(findImports(failures, isInside('credentials'))).toEqual([]);
	});

	test('hands over arguments: a WeakMap is in few places', () => {
		expect(published.filter((file) => read(file).includes('WeakMap')).sort()).toEqual(WEAK_MAPS);
	});

	test('has no file of a few lines: what is always read together is one', () => {
		expect(published.filter((file) => read(file).split('\n').length <= 10)).toEqual([]);
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

test.each([
	['domain', /^domain\//],
	['files', /^(files\/|node:)/],
	['faults', /^(faults\/|domain\/|node:|ajv$)/],
	['control', /^(control\/|faults\/|domain\/)/],
	['http', /^(http\/|control\/|faults\/|domain\/|files\/|node:|fastify|@fastify\/)/],
])('sandbox/%s imports nothing that depends on it', (folder, allowed) => {
	const files = listFiles(`sandbox/${folder}`);
	expect(files.flatMap(readImports)).not.toEqual([]);
	expect(findImports(files, (name) => !allowed.test(name.replace(/^sandbox\//, '')))).toEqual([]);
});
