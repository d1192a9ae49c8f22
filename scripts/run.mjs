import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// Runs a command of this project: `node scripts/run.mjs start --once`. Each is a file beside this one that
// exports a function. They are TypeScript and stand on libraries, so these are installed first if need be.

const OLDEST_NODE = 20;
const STAMP = 'node_modules/.installed-lock';
/**
 * `npm install`, for `npm ci` refuses a lock file that lacks the optional packages of other platforms; with
 * `--no-save` it installs the same versions. `--include=dev` is for a user's NODE_ENV=production.
 */
const INSTALL = [
	'install',
	'--no-save',
	'--include=dev',
	'--no-audit',
	'--no-fund',
	'--loglevel=error',
];

const [command = '', ...args] = process.argv.slice(2);
// Started from wherever: all paths are those of the project.
process.chdir(resolve(dirname(fileURLToPath(import.meta.url)), '..'));

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
// A release changes it, and nothing else.
delete packages[''].version;
const lock = createHash('sha256').update(JSON.stringify(packages)).digest('hex');
if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== lock) {
	console.log('❯ Installing development dependencies (about a minute)');
	const parent = process.ppid;
	const shell = process.platform === 'win32';
	const npm = spawn('npm', INSTALL, { stdio: ['ignore', 'ignore', 'inherit'], shell });
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => npm.kill(signal));
	const [status] = await once(npm, 'close');
	// Whoever started this may have been killed outright in the meantime.
	if (process.ppid !== parent) process.exit(1);
	if (status !== 0) {
		console.error('\nnpm could not install the development dependencies: see above.');
		process.exit(1);
	}
	writeFileSync(STAMP, lock);
}
const { tsImport } = await import('tsx/esm/api');
const { runCommand } = await tsImport('./support/processes.mts', import.meta.url);
await runCommand(command, args);
