import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');

/** Returns the files that `npm pack` would put into the package, from the current build. */
function listPackedFiles(): string[] {
	const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
		cwd: ROOT,
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'ignore'],
		shell: process.platform === 'win32',
	});
	const [packed] = Object.values(
		JSON.parse(output) as Record<string, { files: { path: string }[] }>,
	);
	return packed?.files.map((file) => file.path) ?? [];
}

test('The package ships code, icons, codex files and the output schemas, and nothing of the workshop around them', () => {
	const list = (folder: string, ending: RegExp) =>
		readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
			.filter((file) => ending.test(file))
			.map((file) => `dist/${folder}/${file.split(path.sep).join('/')}`);
	const entries = [...list('nodes', /\.node\.ts$/), ...list('credentials', /\.credentials\.ts$/)];
	expect(listPackedFiles().sort()).toEqual(
		[
			'LICENSE.md',
			'README.md',
			'package.json',
			'dist/package.js',
			...entries.map((file) => file.replace(/ts$/, 'js')),
			...list('nodes', /\.json$/),
			...list('icons', /\.svg$/),
		].sort(),
	);
});
