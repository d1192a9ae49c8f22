import { resolve } from 'node:path';
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
/**
 * The MP4 boxes that a player needs: the file type, the description of the content, and the data.
 */
const MP4_BOXES = ['ftyp', 'moov', 'mdat'];

/** `npm start`: runs a real n8n with the package beside the local video service, and an example. */
export default async function start(args: string[]): Promise<void> {
	const options = parseOptions(args);
	await claimFolder(USER_FOLDER);
	const ports = await choosePorts(options);
	const installation = await installN8n();
	await build();
	await step('Installing the package into n8n', () =>
		installPackage(USER_FOLDER, resolve(USER_FOLDER, 'package')),
	);
	const sandboxAddress = await startSandbox(ports.sandbox, LOG_FOLDER);
	const client = await startN8n({ installation, userFolder: USER_FOLDER, ports });
	const example = (await furnishN8n(client, sandboxAddress)).get(EXAMPLE);
	if (!example) throw new Error(`There is no examples/${EXAMPLE}.json.`);
	const execution = await step(`Running the example "${example.name}" in n8n`, () =>
		whileServersLive(runExample(client, example)),
	);
	console.log(
		['', ...describeExecution(execution), ...(await describeFiles(client, execution))].join('\n'),
	);
	console.log(describeDemo(client, sandboxAddress, LOG_FOLDER));
	console.log(`Example        ${client.address}/workflow/${example.id} (reset at each start)`);
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

/** Describes an execution's videos: name, type and size. @throws Error if one is not playable */
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
				throw new Error(`${file.fileName} can't be played: it has no ${missing.join(', ')}.`);
			}
			return `Video: ${file.fileName}, ${file.mimeType}, ${content.length} bytes`;
		}),
	);
}
