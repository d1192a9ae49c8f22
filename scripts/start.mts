import { resolve } from 'node:path';
import axios from 'axios';
import manifest from '../package.json' with { type: 'json' };
import { build } from './build.mjs';
import {
	choosePorts,
	claimFolder,
	describeDemo,
	furnishN8n,
	parseOptions,
	startN8n,
	startSandbox,
} from './n8n/demo.mjs';
import { describeExecution, describeExecutionFailure } from './n8n/describeExecution.js';
import { installN8n, installPackage } from './n8n/install.mjs';
import type { N8nClient } from './n8n/N8nClient.js';
import type { BinaryFile, Execution, Workflow } from './n8n/n8nTypes.js';
import { serveUntilStopped, whileServersLive } from './support/processes.mjs';
import { step } from './support/steps.mjs';

const USER_FOLDER = resolve('.n8n-local');
const LOG_FOLDER = resolve(USER_FOLDER, 'logs');
const EXAMPLE = 'queue-a-video';
const MANUAL_TRIGGER = 'n8n-nodes-base.manualTrigger';
const RUN_TIMEOUT_MS = 180_000;
/** What a player needs of an MP4 file: its type, what is in it, and the pictures. */
const MP4_BOXES = ['ftyp', 'moov', 'mdat'];

/** `npm start`: a real n8n with the package, beside the local video service, running an example. */
export default async function start(args: string[]): Promise<void> {
	const options = parseOptions(args);
	await claimFolder(USER_FOLDER);
	const ports = await choosePorts(options);
	const installation = await installN8n();
	await build();
	await step('Packing the package and installing it into n8n', () =>
		installPackage(USER_FOLDER, resolve(USER_FOLDER, 'package')),
	);
	const sandboxAddress = await startSandbox(ports.sandbox, LOG_FOLDER);
	const client = await startN8n({ installation, userFolder: USER_FOLDER, ports });
	const example = (await furnishN8n(client, sandboxAddress)).get(EXAMPLE);
	if (!example) throw new Error(`There is no examples/${EXAMPLE}.json to run.`);
	const execution = await step(`Running the example "${example.name}" in n8n`, () =>
		whileServersLive(runExample(client, example)),
	);
	printSection('What the example did', describeExecution(execution, manifest.name));
	printSection('The file that it has made', await describeFiles(client, execution));
	printSection('What the video service was asked', await describeRequests(sandboxAddress));
	console.log(describeDemo(client, sandboxAddress, LOG_FOLDER));
	console.log(
		[
			`Example      ${client.address}/workflow/${example.id}`,
			'             (put back as in examples/ at each start: duplicate it to keep changes)',
		].join('\n'),
	);
	if (!options.once) await serveUntilStopped();
}

async function runExample(client: N8nClient, { id, name, nodes }: Workflow): Promise<Execution> {
	const trigger = nodes.find(({ type }) => type === MANUAL_TRIGGER);
	if (!trigger) throw new Error(`The workflow "${name}" has no Manual Trigger to start it.`);
	const executionId = await client.runWorkflow(id, trigger.name);
	const execution = await client.waitForExecution(executionId, RUN_TIMEOUT_MS);
	if (execution.status !== 'success') throw new Error(describeExecutionFailure(execution));
	return execution;
}

/** The video files that an execution has: name, type and size. @throws Error when one cannot be played */
async function describeFiles(client: N8nClient, execution: Execution): Promise<string[]> {
	const items = Object.values(execution.data.resultData.runData ?? {})
		.flat()
		.flatMap(({ data }) => data?.main ?? [])
		.flatMap((output) => output ?? []);
	const files = new Map<string, BinaryFile>();
	for (const file of items.flatMap(({ binary = {} }) => Object.values(binary))) {
		files.set(file.id ?? file.data, file);
	}
	return await Promise.all(
		[...files.values()].map(async (file) => {
			const content = await client.readBinary(file);
			const missing = MP4_BOXES.filter((name) => !content.includes(name));
			if (missing.length > 0) {
				throw new Error(
					`${file.fileName} is no video that plays: it has no ${missing.join(', ')}.`,
				);
			}
			return `${file.fileName}, ${file.mimeType}, ${content.length} bytes, with all that a player needs`;
		}),
	);
}

/** Each kind of request with how often it came. */
async function describeRequests(sandboxAddress: string): Promise<string[]> {
	const { data } = await axios.get<{ requests: { method: string; url: string }[] }>(
		`${sandboxAddress}/_sandbox/requests`,
		{ proxy: false },
	);
	const counts = new Map<string, number>();
	for (const { method, url } of data.requests) {
		const path = new URL(url, sandboxAddress).pathname.replace(/[\da-f-]{36}/, '…');
		counts.set(`${method} ${path}`, (counts.get(`${method} ${path}`) ?? 0) + 1);
	}
	return [...counts].map(([kind, count]) => `${String(count).padStart(2)} × ${kind}`);
}

function printSection(title: string, lines: string[]): void {
	console.log(['', title, ...lines.map((line) => `  ${line}`)].join('\n'));
}
