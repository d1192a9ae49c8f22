import { createHash } from 'node:crypto';
import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { build as bundle } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };
import { run, step } from './support/command.mjs';

/** The bundle of all code: one file loads faster than sixty. */
const BUNDLE = 'dist/package.js';

/** The files in which n8n looks for a class with the name of the file. */
const ENTRIES = [...manifest.n8n.nodes, ...manifest.n8n.credentials];

/** Everything that `dist/` is built from. */
const INPUTS = [
	'nodes',
	'credentials',
	'icons',
	'package.json',
	'package-lock.json',
	'gulpfile.js',
	'tsconfig.json',
	'tsconfig.build.json',
	'scripts/build.mts',
];
/** What npm packs, with the modes of the files, which depend on the umask of whoever has created them. */
const PACKED = ['dist', 'README.md', 'LICENSE.md', 'package.json'];
/** Contains the hash of the inputs of the last build. */
const STAMP = '.n8n-local/built';

/**
 * Builds `dist/` unless it is up to date: a command that needs the built package does not remove it
 * under another one.
 */
export async function build(): Promise<void> {
	const isBuilt = existsSync(BUNDLE) && existsSync(STAMP);
	if (!isBuilt || readFileSync(STAMP, 'utf8') !== hashInputs()) await rebuild();
}

function hashInputs(): string {
	const hash = createHash('sha256');
	for (const file of INPUTS.flatMap(listFiles)) {
		hash.update(`${file}\0`).update(readFileSync(file)).update('\0');
	}
	return hash.digest('hex');
}

function listFiles(path: string): string[] {
	if (!statSync(path).isDirectory()) return [path];
	return readdirSync(path).flatMap((name) => listFiles(join(path, name)));
}

/** `npm run build`: rebuilds `dist/`: the code, the files that n8n looks for, and their assets. */
export default async function rebuild(): Promise<void> {
	const inputs = hashInputs();
	await rm(STAMP, { force: true });
	await rm('dist', { recursive: true, force: true });
	await step('Building the package', async () => {
		await run('tsc', ['-p', 'tsconfig.build.json', '--noEmit']);
		const sources = ENTRIES.map((file) => file.replace(/^dist\/(.*)\.js$/, './$1'));
		const contents = sources.map((source) => `export * from '${source}';`).join('\n');
		await bundle({
			stdin: { contents, resolveDir: '.' },
			outfile: BUNDLE,
			bundle: true,
			external: ['n8n-workflow'],
			platform: 'node',
			format: 'cjs',
			target: 'node20',
			// Names and lines stay, so that a stack trace says where an error is.
			minifyWhitespace: true,
			lineLimit: 120,
			sourcemap: true,
			logLevel: 'warning',
		});
		for (const file of ENTRIES) writeEntry(file);
		await run('gulp', ['build:assets', '--silent']);
		for (const file of PACKED.flatMap(listFiles)) chmodSync(file, 0o644);
	});
	mkdirSync(dirname(STAMP), { recursive: true });
	writeFileSync(STAMP, inputs);
}

function writeEntry(file: string): void {
	const [className = ''] = basename(file).split('.');
	const from = relative(dirname(file), BUNDLE).replaceAll('\\', '/');
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, `exports.${className} = require('${from}').${className};\n`);
}
