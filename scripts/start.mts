import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import manifest from '../package.json' with { type: 'json' };
import { parseCommandLine } from '../sandbox/commandLine.js';
import { startSandbox } from '../sandbox/startSandbox.js';
import { build } from './build.mjs';
import { choosePorts, claimFolder, furnishN8n, startN8n } from './n8n/demo.mjs';
import { getPackageFolder, installN8n, installPackage } from './n8n/install.mjs';
import type { N8nClient } from './n8n/N8nClient.js';
import type { Workflow } from './n8n/n8nTypes.js';
import { serveUntilStopped, startServer, whileServersLive, step } from './support/command.mjs';
import { waitFor } from './waitFor.js';

const OPTIONS = {
	n8n: { type: 'string' },
	once: { type: 'boolean' },
	rows: { type: 'boolean' },
	watch: { type: 'boolean' },
} as const;
const MANUAL_TRIGGER = 'n8n-nodes-base.manualTrigger';
const RUN_TIMEOUT_MS = 300_000;
const BUILD_TIMEOUT_MS = 120_000;

/**
 * `npm start`: runs a real n8n with the package beside the local video service, and an example.
 * `npm run dev` (`--watch`) compiles each change into the package that n8n has loaded instead; n8n
 * watches its files, reloads them, and notifies the editor, so that the page needs no reload.
 */
export default async function start(args: string[]): Promise<void> {
	const { values: options } = parseArgs({ args, options: OPTIONS });
	// The folder of `npm start` shows the package as it is published.
	const userFolder = resolve('.n8n-local', options.watch ? 'dev' : '');
	await claimFolder(userFolder);
	const ports = await choosePorts();
	const installation =
		options.n8n === undefined
			? await installN8n()
			: { node: process.execPath, script: join(options.n8n, 'bin', 'n8n') };
	if (options.watch) {
		await step('Building the package into n8n', () =>
			whileServersLive(buildContinuously(userFolder)),
		);
	} else {
		await build();
		await step('Installing the package into n8n', () =>
			installPackage(userFolder, join(userFolder, 'package')),
		);
	}
	const sandbox = await startSandbox(parseCommandLine(['--port', String(ports.sandbox)]) ?? {});
	const env: Record<string, string> = options.watch ? { N8N_DEV_RELOAD: 'true' } : {};
	const client = await startN8n({ installation, userFolder, ports, env });
	const account = { name: 'Local video service', apiKey: sandbox.apiKey, url: sandbox.url };
	const workflows = await furnishN8n(client, account, ['examples', join('scripts', 'demo')]);
	const workflow = workflows.get(options.rows ? 'five-rows' : 'queue-a-video');
	if (!workflow) throw new Error('The example is missing.');
	const run = options.watch ? '' : `/executions/${await runWorkflow(client, workflow)}`;
	const hint = options.watch
		? 'Change a file in nodes/, credentials/ or icons/: the editor shows it within seconds.'
		: 'The workflow "Five rows, five videos" makes five videos of one project in two minutes.';
	console.log(`
n8n            ${client.address}/workflow/${workflow.id}${run}
Login          ${client.owner.email}, password ${client.owner.password}
Video service  ${sandbox.url}, API key ${sandbox.apiKey}
Logs           ${relative(process.cwd(), join(userFolder, 'logs'))}

${hint}`);
	if (!options.once) await serveUntilStopped();
}

/** Runs a workflow as its button does, and prints what each node returned. @returns the execution's ID */
async function runWorkflow(client: N8nClient, workflow: Workflow): Promise<string> {
	const trigger = workflow.nodes.find(({ type }) => type === MANUAL_TRIGGER)?.name ?? '';
	const { id, data, status } = await step(`Running "${workflow.name}" in n8n`, async () => {
		const started = await client.runWorkflow(workflow.id, trigger);
		return await whileServersLive(client.waitForExecution(started, RUN_TIMEOUT_MS));
	});
	const { error, runData } = data.resultData;
	if (status !== 'success') {
		throw new Error(`It ended as "${status}". ${error?.message ?? ''} ${error?.description ?? ''}`);
	}
	for (const [node, runs] of Object.entries(runData)) {
		const items = runs.flatMap((run) => run.data?.main ?? []).flatMap((output) => output ?? []);
		console.log(`  ${node}: ${items.length} ${items.length === 1 ? 'item' : 'items'}`);
		for (const file of items.flatMap(({ binary = {} }) => Object.values(binary))) {
			const { length } = await client.readBinary(file);
			console.log(`    ${file.fileName ?? ''}, ${file.mimeType}, ${length} bytes`);
		}
	}
	return id;
}

/** Compiles and copies everything once, and then each change. */
async function buildContinuously(userFolder: string): Promise<void> {
	const packageFolder = getPackageFolder(userFolder);
	const distFolder = join(packageFolder, 'dist');
	rmSync(packageFolder, { recursive: true, force: true });
	mkdirSync(packageFolder, { recursive: true });
	copyFileSync('package.json', join(packageFolder, 'package.json'));
	// If the sources have an error, nothing is written, and n8n keeps the previous version.
	const emit = ['--watch', '--noEmitOnError', '--pretty', 'false', '--outDir', distFolder];
	startServer('tsc', ['-p', 'tsconfig.build.json', ...emit], {
		name: 'The TypeScript compiler',
		logFile: join(userFolder, 'logs', 'tsc.log'),
	});
	startServer('gulp', ['watch:assets', '--silent'], {
		name: 'gulp',
		env: { ...process.env, BUILD_FOLDER: distFolder },
		logFile: join(userFolder, 'logs', 'gulp.log'),
	});
	const files = manifest.n8n.nodes.map((file) => join(packageFolder, file));
	const isBuilt = () => files.every((file) => existsSync(file));
	await waitFor('the package to be built (see tsc.log)', isBuilt, BUILD_TIMEOUT_MS);
}
