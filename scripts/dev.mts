import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
	choosePorts,
	claimFolder,
	describeDemo,
	furnishN8n,
	parseOptions,
	startN8n,
	startSandbox,
} from './n8n/demo.mjs';
import { getPackageFolder, installN8n } from './n8n/install.mjs';
import { serveUntilStopped, startServer, whileServersLive } from './support/processes.mjs';
import { step } from './support/steps.mjs';
import { waitFor } from './waitFor.js';

/** A folder apart from that of `npm start`, which shows the package as it is published. */
const USER_FOLDER = resolve('.n8n-local', 'dev');
const LOG_FOLDER = join(USER_FOLDER, 'logs');
const BUILD_TIMEOUT_MS = 120_000;
/** The line that tsc prints after each compilation, with or without errors. */
const COMPILED = 'Watching for file changes';
const RELOADED = 'Hot reload triggered';

/**
 * `npm run dev`: runs a real n8n with the package, beside the local video service. The sources are
 * compiled into the package that n8n has loaded; n8n watches its files (`N8N_DEV_RELOAD`), reloads
 * them, and notifies the editor, so that the page needs no reload.
 */
export default async function dev(args: string[]): Promise<void> {
	const options = parseOptions(args);
	await claimFolder(USER_FOLDER);
	const ports = await choosePorts(options);
	const installation = await installN8n();
	await step('Building the package into n8n', () => whileServersLive(buildContinuously()));
	const sandboxAddress = await startSandbox(ports.sandbox, LOG_FOLDER);
	const client = await startN8n({
		...{ installation, userFolder: USER_FOLDER, ports },
		env: { N8N_DEV_RELOAD: 'true' },
		onLine: (line) => {
			if (line.includes(RELOADED)) console.log('n8n reloaded the package.');
		},
	});
	await furnishN8n(client, sandboxAddress);
	console.log(describeDemo(client, sandboxAddress, LOG_FOLDER));
	console.log(
		'\nChange a file in nodes/, credentials/ or icons/: the editor shows it within seconds.',
	);
	await serveUntilStopped();
}

/** Compiles and copies everything once, and then each change. */
async function buildContinuously(): Promise<void> {
	const packageFolder = getPackageFolder(USER_FOLDER);
	const distFolder = join(packageFolder, 'dist');
	rmSync(packageFolder, { recursive: true, force: true });
	mkdirSync(packageFolder, { recursive: true });
	copyFileSync('package.json', join(packageFolder, 'package.json'));

	let isCompiled = false;
	const watch = ['--watch', '--preserveWatchOutput', '--pretty', 'false'];
	// If the sources have an error, nothing is written, and n8n keeps the previous version.
	const emit = ['--noEmitOnError', '--outDir', distFolder];
	startServer('tsc', ['-p', 'tsconfig.build.json', ...watch, ...emit], {
		name: 'The TypeScript compiler',
		logFile: join(LOG_FOLDER, 'tsc.log'),
		onLine: (line) => {
			if (isCompiled && line.trim() !== '') console.log(line);
			isCompiled ||= line.includes(COMPILED);
		},
	});
	startServer('gulp', ['watch:assets', '--silent'], {
		name: 'gulp',
		env: { ...process.env, BUILD_FOLDER: distFolder },
		logFile: join(LOG_FOLDER, 'gulp.log'),
	});
	await waitFor('the package to be built', () => isCompiled, BUILD_TIMEOUT_MS);
}
