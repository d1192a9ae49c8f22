import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// Runs a command of this project: `node scripts/run.mjs start --once`. Each command is a file
// beside this one that exports a function. The commands are TypeScript and use libraries, which are
// installed first if necessary.

// All paths are relative to the project, wherever the command was started.
process.chdir(resolve(dirname(fileURLToPath(import.meta.url)), '..'));

const OLDEST_NODE = 20;
const STAMP = 'node_modules/.installed-lock';
/**
 * npm's arguments. `npm ci` refuses a lock file that lacks the optional packages of other platforms;
 * `npm install --no-save` installs the same versions. `--include=dev` overrides a
 * NODE_ENV=production of the user.
 */
const NPM = 'install --no-save --include=dev --no-audit --loglevel=error';
/** See `scripts/support/cache.mts`. */
const BUN = JSON.parse(readFileSync('scripts/support/installWithBun.json', 'utf8'));

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
if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== lock) {
	console.log('❯ Installing development dependencies (up to a minute)');
	const env = { ...process.env, BUN_INSTALL_CACHE_DIR: resolve('node_modules/.bun-files') };
	const options = {
		env,
		stdio: ['ignore', 'ignore', 'inherit'],
		shell: process.platform === 'win32',
	};
	// Bun only fills a new folder: it would arrange npm's packages anew.
	const installers = existsSync('node_modules') ? [NPM] : [BUN, NPM];
	const install = (installer) => spawnSync('npm', installer.split(' '), options).status === 0;
	if (!installers.some(install)) {
		console.error('\nnpm could not install the development dependencies: see above.');
		process.exit(1);
	}
	writeFileSync(STAMP, lock);
}
const { tsImport } = await import('tsx/esm/api');
const { runCommand } = await tsImport('./support/command.mts', import.meta.url);
await runCommand(command, args);
