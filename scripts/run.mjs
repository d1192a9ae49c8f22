import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// Runs a command of this project: `node scripts/run.mjs start --once`. Each command is a file
// beside this one that exports a function. The commands are TypeScript and use libraries, which are
// installed first if necessary.

// All paths are relative to the project, wherever the command was started.
process.chdir(resolve(dirname(fileURLToPath(import.meta.url)), '..'));

const OLDEST_NODE = 20;
/** npm's own list of what it has installed. */
const NPM_RECORD = 'node_modules/.package-lock.json';

const [command = '', ...args] = process.argv.slice(2);

if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
	console.error(`This project needs Node.js ${OLDEST_NODE} or later; this is ${process.version}.`);
	process.exit(1);
}
const help = `scripts/${command}.help.txt`;
if ((args.includes('--help') || args.includes('-h')) && existsSync(help)) {
	process.stdout.write(readFileSync(help));
	process.exit();
}
if (!isInstalled()) {
	console.log('❯ Installing development dependencies (up to a minute)');
	const shell = process.platform === 'win32';
	const npm = ['ci', '--include=dev', '--loglevel=error'];
	if (spawnSync('npm', npm, { stdio: ['ignore', 'ignore', 'inherit'], shell }).status !== 0) {
		console.error('\nnpm could not install the development dependencies.');
		process.exit(1);
	}
}
const { tsImport } = await import('tsx/esm/api');
const { runCommand } = await tsImport('./support/command.mts', import.meta.url);
await runCommand(command, args);

/** Returns whether npm has installed the locked packages, here or by the user's own `npm install`. */
function isInstalled() {
	// Linked packages are somebody else's, and npm would delete them there.
	if (lstatSync('node_modules', { throwIfNoEntry: false })?.isSymbolicLink()) return true;
	if (!existsSync(NPM_RECORD)) return false;
	const [locked, installed] = ['package-lock.json', NPM_RECORD].map(
		(file) => JSON.parse(readFileSync(file, 'utf8')).packages,
	);
	const isSame = ([path, { optional, version }]) =>
		// The first entry is this project itself, and an optional package may be for another system.
		path === '' || (optional && !installed[path]) || installed[path]?.version === version;
	return Object.entries(locked).every(isSame);
}
