import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from './ensureInstalled.mjs';

const OLDEST_NODE = 20;

// Started from wherever: all paths are those of the project.
process.chdir(resolve(dirname(fileURLToPath(import.meta.url)), '..'));

const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) {
	process.stdout.write(readFileSync('scripts/start/help.txt'));
} else if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
	console.error(`npm start needs Node ${OLDEST_NODE} or later; this is ${process.version}.`);
	process.exitCode = 1;
} else {
	await start();
}

/** Everything beyond this file is TypeScript, which runs once the development dependencies are there. */
async function start() {
	const parent = process.ppid;
	try {
		await ensureInstalled();
	} catch (error) {
		console.error(error.message);
		process.exitCode = 1;
		return;
	}
	// npm was ended during the installation, and its shell with it.
	if (process.ppid !== parent) return;
	const { tsImport } = await import('tsx/esm/api');
	await tsImport('./start/main.ts', import.meta.url);
}
