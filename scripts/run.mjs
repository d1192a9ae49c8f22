import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// Runs a command of this project: `node scripts/run.mjs start --once`. Each command is a file
// beside this one that exports a function. The commands are TypeScript and use libraries, which are
// installed first if necessary.

// All paths are relative to the project, wherever the command was started.
process.chdir(resolve(dirname(fileURLToPath(import.meta.url)), '..'));

const OLDEST_NODE = 20;
const STAMP = 'node_modules/.installed-lock';
/** npm's own record of its last `npm install`. */
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
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
// A release changes only the version, and the dependencies stay the same.
delete packages[''].version;
const lock = createHash('sha256').update(JSON.stringify(packages)).digest('hex');
if (!isInstalled()) {
	console.log('❯ Installing development dependencies (up to a minute)');
	// Bun would arrange the packages of another installation anew.
	rmSync('node_modules', { recursive: true, force: true });
	const bun = JSON.parse(readFileSync('scripts/support/installWithBun.json', 'utf8'));
	const shell = process.platform === 'win32';
	const stdio = ['ignore', 'ignore', 'inherit'];
	if (spawnSync('npm', bun.split(' '), { stdio, shell }).status !== 0) {
		console.error('\nBun could not install the development dependencies. Try npm install.');
		process.exit(1);
	}
	writeFileSync(STAMP, lock);
}
const { tsImport } = await import('tsx/esm/api');
const { runCommand } = await tsImport('./support/command.mts', import.meta.url);
await runCommand(command, args);

/** Returns whether Bun or the user's `npm install` has installed the locked packages. */
function isInstalled() {
	if (existsSync(STAMP)) return readFileSync(STAMP, 'utf8') === lock;
	const getTime = (file) => statSync(file).mtimeMs;
	return existsSync(NPM_RECORD) && getTime(NPM_RECORD) >= getTime('package-lock.json');
}
