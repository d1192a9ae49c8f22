import { rm } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { ensureInstalled } from './ensureInstalled.mjs';
import { runStep } from './runStep.mjs';

/** Builds `dist/` anew: the compiled nodes and credentials, and the assets beside them. */
export async function build() {
	await ensureInstalled();
	await rm('dist', { recursive: true, force: true });
	await runStep('Compiling nodes and credentials', 'npx', ['tsc', '-p', 'tsconfig.build.json']);
	await runStep('Copying icons, codex files and schemas', 'npx', [
		'gulp',
		'build:assets',
		'--silent',
	]);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
	await build().catch((error) => {
		console.error(error.message);
		process.exitCode = 1;
	});
}
