import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');

interface Packed {
	files: { path: string }[];
}

/** Returns the files that `npm pack` would put into the package, from the current build. */
function listPackedFiles(): string[] {
	const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
		cwd: ROOT,
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'ignore'],
		shell: process.platform === 'win32',
	});
	const [packed] = Object.values(JSON.parse(output) as Record<string, Packed>);
	return packed?.files.map((file) => file.path) ?? [];
}

describe('The package', () => {
	const files = listPackedFiles();

	test('ships dist, README, LICENSE, package.json and nothing else', () => {
		const others = files.filter((file) => !file.startsWith('dist/'));
		expect(others.sort()).toEqual(['LICENSE.md', 'README.md', 'package.json']);
	});

	test('ships code, icons, codex files and nothing of the workshop around them', () => {
		const built = files.filter((file) => file.startsWith('dist/'));
		expect(built.filter((file) => !/^dist\/(nodes|credentials|icons)\//.test(file))).toEqual([
			'dist/package.js',
		]);
		expect(built.filter((file) => !/\.(js|json|svg)$/.test(file))).toEqual([]);
	});

	test.each([
		'dist/credentials/VideoGenerationApi.credentials.js',
		'dist/nodes/VideoGeneration/VideoGeneration.node.js',
		'dist/nodes/VideoGeneration/VideoGeneration.node.json',
		'dist/nodes/VideoGeneration/VideoGenerationTrigger.node.js',
		'dist/nodes/VideoGeneration/VideoGenerationTrigger.node.json',
		'dist/icons/videoGeneration.svg',
		'dist/icons/videoGeneration.dark.svg',
	])('ships %s', (file) => {
		expect(files).toContain(file);
	});

	test('ships an output schema for each operation, where n8n looks for it', () => {
		const folder = 'nodes/VideoGeneration/__schema__';
		const schemas = fs
			.readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
			.filter((file) => file.endsWith('.json'))
			.map((file) => `dist/${folder}/${file.split(path.sep).join('/')}`);
		expect(schemas).toHaveLength(9);
		expect(files).toEqual(expect.arrayContaining(schemas));
	});
});
