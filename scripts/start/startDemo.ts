import { mkdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { SEED_ACCOUNTS } from '../../sandbox/domain/SEED_ACCOUNTS';
import { findCacheFolder } from '../cache/findCacheFolder';
import type { N8nClient } from '../n8n/N8nClient';
import { installCommunityPackage } from '../n8n/installCommunityPackage';
import { installN8n } from '../n8n/installN8n';
import type { Workflow } from '../n8n/n8nTypes';
import { packPackage } from '../n8n/packPackage';
import { placeExamples } from '../n8n/placeExamples';
import { provideNode } from '../n8n/provideNode';
import type { ProcessSet } from '../processes/ProcessSet';
import { ReadableError } from '../ReadableError';
import { showStep } from '../steps/showStep';
import { choosePort } from './choosePort';
import { claimFolder } from './claimFolder';
import { describeRequests } from './describeRequests';
import { listenBriefly } from './listenBriefly';
import { OWNER } from './OWNER';
import type { StartOptions } from './readStartOptions';
import { runExample } from './runExample';
import { startN8n } from './startN8n';
import { startSandbox } from './startSandbox';

const USER_FOLDER = resolve('.n8n-local');
const LOG_FOLDER = resolve(USER_FOLDER, 'logs');
const EXAMPLE = 'queue-a-video';
const CREDENTIAL_NAME = 'Local video service';
const USUAL_PORT = 5678;
const USUAL_SANDBOX_PORT = 4010;

interface Ports {
	n8n: number;
	broker: number;
	sandbox: number;
}

interface Demo {
	client: N8nClient;
	sandboxAddress: string;
	example: Workflow;
}

/** Brings everything up, runs the example, and prints its result and the addresses. */
export async function startDemo(options: StartOptions, processes: ProcessSet): Promise<void> {
	mkdirSync(USER_FOLDER, { recursive: true });
	await claimFolder(USER_FOLDER);
	const packageName = readPackageName();
	const ports = await choosePorts(options);
	const demo = await bringUp(packageName, ports, processes);
	const { nodes, files } = await showStep(
		`Running the example "${demo.example.name}" in n8n`,
		async () => await runExample(demo.client, demo.example, packageName),
	);
	const requests = await describeRequests(demo.sandboxAddress);
	printSection('What the example did', nodes);
	printSection('The file that it has made', files);
	printSection('What the video service was asked', requests);
	console.log();
	console.log(describeDemo(demo).join('\n'));
}

async function bringUp(packageName: string, ports: Ports, processes: ProcessSet): Promise<Demo> {
	const cacheFolder = findCacheFolder();
	const node = await provideNode(cacheFolder, processes);
	const n8nFolder = await installN8n(cacheFolder, node, processes);
	await buildAndInstall(packageName, processes);
	const sandboxAddress = await showStep(
		'Starting the sandbox, the local video service',
		async () => await startSandbox(ports.sandbox, LOG_FOLDER, processes),
	);
	const client = await showStep('Starting n8n', async () => {
		const { n8n: port, broker: brokerPort } = ports;
		const settings = { userFolder: USER_FOLDER, node: node.binary, port, brokerPort };
		return await startN8n(n8nFolder, settings, LOG_FOLDER, processes);
	});
	const example = await showStep(
		'Setting up the login, the credential and the example workflows',
		async () => await furnish(client, sandboxAddress, packageName),
	);
	return { client, sandboxAddress, example };
}

async function buildAndInstall(packageName: string, processes: ProcessSet): Promise<void> {
	await processes.runVisibly(process.execPath, ['scripts/build.mjs'], {
		cwd: process.cwd(),
		env: process.env,
	});
	await showStep('Packing the package and installing it into n8n', async () => {
		const tarball = await packPackage(resolve(USER_FOLDER, 'package'), processes);
		await installCommunityPackage(tarball, packageName, USER_FOLDER, processes);
	});
}

async function choosePorts({ port, sandboxPort }: StartOptions): Promise<Ports> {
	const n8n = await choosePort({ name: 'n8n', option: '--port', asked: port, usual: USUAL_PORT });
	const sandbox = await choosePort({
		name: 'the sandbox',
		option: '--sandbox-port',
		asked: sandboxPort,
		usual: USUAL_SANDBOX_PORT,
		taken: [n8n],
	});
	// Nobody visits this one, so any free one will do and none is mentioned.
	const broker = await listenBriefly(0);
	if (broker === undefined) throw new ReadableError('No free port was found.');
	return { n8n, sandbox, broker };
}

async function furnish(
	client: N8nClient,
	sandboxAddress: string,
	packageName: string,
): Promise<Workflow> {
	await client.setUpOwner(OWNER);
	const content = {
		name: CREDENTIAL_NAME,
		type: 'videoGenerationApi',
		data: { apiKey: SEED_ACCOUNTS.main.apiKey, baseUrl: sandboxAddress },
	};
	const credential = await client.saveCredential(content);
	const test = await client.testCredential(credential.id, content);
	if (test.status !== 'OK') {
		throw new ReadableError(`n8n's test of the credential failed: ${test.message}`);
	}
	const examples = await placeExamples(client, resolve('examples'), credential, packageName);
	const example = examples.get(EXAMPLE);
	if (!example) throw new ReadableError(`There is no examples/${EXAMPLE}.json to run.`);
	return example;
}

function printSection(title: string, lines: string[]): void {
	console.log(['', title, ...lines.map((line) => `  ${line}`)].join('\n'));
}

function describeDemo({ client, sandboxAddress, example }: Demo): string[] {
	return [
		`n8n          ${client.address}`,
		`  login      ${OWNER.email}, password ${OWNER.password}`,
		`  example    ${client.address}/workflow/${example.id}`,
		`             (put back as in examples/ at each start: duplicate it to keep changes)`,
		`Sandbox      ${sandboxAddress}`,
		`  API key    ${SEED_ACCOUNTS.main.apiKey}`,
		`Logs         .n8n-local/logs/`,
	];
}

function readPackageName(): string {
	const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string };
	return manifest.name;
}
