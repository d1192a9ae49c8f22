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

	test('ships README, LICENSE, package.json, code, icons and codex files, and nothing of the workshop around them', () => {
		const SHIPPED = /^dist\/(nodes|credentials|icons)\/.+\.(js|json|svg)$/;
		expect(files.filter((file) => !SHIPPED.test(file)).sort()).toEqual([
			...['LICENSE.md', 'README.md', 'dist/package.js', 'package.json'],
		]);
		expect(files).toEqual(
			expect.arrayContaining([
				'dist/credentials/VideoGenerationApi.credentials.js',
				...['', 'Trigger'].flatMap((name) =>
					['js', 'json'].map(
						(type) => `dist/nodes/VideoGeneration/VideoGeneration${name}.node.${type}`,
					),
				),
				...['', '.dark'].map((theme) => `dist/icons/videoGeneration${theme}.svg`),
			]),
		);
	});

	test('ships an output schema for each operation, where n8n looks for it', () => {
		const folder = 'nodes/VideoGeneration/__schema__';
		const schemas = fs
			.readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
			.filter((file) => file.endsWith('.json'))
			.map((file) => `dist/${folder}/${file.split(path.sep).join('/')}`);
		expect(schemas).not.toEqual([]);
		expect(files).toEqual(expect.arrayContaining(schemas));
	});
});
