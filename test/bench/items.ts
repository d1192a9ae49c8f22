import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { N8nClient } from '../../scripts/n8n/N8nClient';
import type { Credential, Workflow } from '../../scripts/n8n/n8nTypes';
import {
	buildWorkflow,
	START,
	videoGeneration,
	type WorkflowStep,
} from '../support/e2e/buildWorkflow';
import { RealN8n } from '../support/e2e/RealN8n';
import { keepFigures } from './keepFigures';
import { median } from './median';
import { PeakMemory } from '../support/e2e/PeakMemory';

const COUNTS = [500, 2_000];
const PAIRS = 11;
/** Maximum time as a multiple of HTTP Request's time, and the target. */
const LIMIT = 0.6;
const AIM = 0.5;
const MEASURED = 'Measured';
const WITH_BARE_NODE = { N8N_CUSTOM_EXTENSIONS: path.join(__dirname, 'custom') };
const TIMEOUT_MS = 120_000;

interface Service {
	baseUrl: string;
	apiKey: string;
}

/** Durations in milliseconds of one run each, one right after the other. */
interface Pair {
	ours: number;
	http: number;
	/** The duration of n8n's own request function alone. */
	bare: number;
}

export interface ItemFigures {
	count: number;
	/** Our node's time divided by that of HTTP Request, for each pair of runs. */
	ratios: number[];
	ratio: number;
	oursMs: number;
	httpMs: number;
	bareMs: number;
	/**
	 * Peak memory of the whole n8n above its idle memory, each in an n8n that has run nothing before.
	 */
	oursOverMiB: number | undefined;
	httpOverMiB: number | undefined;
	/** The same for n8n's own request function alone. */
	bareOverMiB: number | undefined;
}

/**
 * Compares Get Progress for many items with the same requests by n8n's own HTTP Request node: in
 * one real n8n, each node in a separate workflow, in turn. The service is a separate process.
 */
async function main(): Promise<void> {
	const server = fork(path.join(__dirname, 'serveProgress.ts'));
	const [service] = (await once(server, 'message')) as [Service];
	const n8n = RealN8n.create('bench', WITH_BARE_NODE);
	try {
		await n8n.start();
		const { client } = n8n;
		const credential = await saveCredential(client, service);
		const figures: ItemFigures[] = [];
		for (const count of COUNTS) {
			figures.push(await compare(client, credential, service, count));
		}
		keepFigures('items', figures);
		const isGood = figures.every(({ ratio }) => ratio <= LIMIT);
		console.log(`Limit ${LIMIT}, aim ${AIM}: ${isGood ? 'good' : 'NOT GOOD'}`);
		if (!isGood) process.exitCode = 1;
	} finally {
		await n8n.stop();
		server.disconnect();
	}
}

async function compare(
	client: N8nClient,
	credential: Credential,
	service: Service,
	count: number,
): Promise<ItemFigures> {
	const create = async (step: WorkflowStep) =>
		await client.createWorkflow(
			buildWorkflow(`${count} items by ${step.type}`, [START, buildItems(count), step]),
		);
	const ours = await create(buildOurs(credential));
	const http = await create(buildHttpRequest(credential, service));
	const bare = await create(buildBare(credential));
	const measureOurs = async () => await measure(client, ours, count);
	const measureHttp = async () => await measure(client, http, count);
	const measureBare = async () => await measure(client, bare, count);
	// The first runs fill n8n's caches and compile its code.
	for (const warmUp of [measureOurs, measureHttp, measureBare]) await warmUp();

	const pairs: Pair[] = [];
	for (let i = 0; i < PAIRS; i++) {
		// The nodes take turns in running first, so that the effects of one run on the next affect
		// both.
		const first = i % 2 === 0 ? await measureOurs() : await measureHttp();
		const second = i % 2 === 0 ? await measureHttp() : await measureOurs();
		const inTurn = i % 2 === 0 ? { ours: first, http: second } : { ours: second, http: first };
		const pair = { ...inTurn, bare: await measureBare() };
		pairs.push(pair);
		const ratio = (pair.ours / pair.http).toFixed(2);
		console.log(
			`${count} items: ${pair.ours} ms, HTTP Request ${pair.http} ms, ${ratio}; bare requests ${pair.bare} ms`,
		);
	}
	const figures = {
		...summarize(count, pairs),
		oursOverMiB: await measureMemory(service, count, buildOurs),
		httpOverMiB: await measureMemory(service, count, (each) => buildHttpRequest(each, service)),
		bareOverMiB: await measureMemory(service, count, buildBare),
	};
	console.log(
		`${count} items: ${figures.ratio.toFixed(2)} times HTTP Request (median); memory ${figures.oursOverMiB ?? '?'} MiB over idle, HTTP Request ${figures.httpOverMiB ?? '?'} MiB, bare requests ${figures.bareOverMiB ?? '?'} MiB`,
	);
	return figures;
}

function summarize(count: number, pairs: Pair[]) {
	const ratios = pairs.map(({ ours, http }) => ours / http);
	return {
		count,
		ratios,
		ratio: median(ratios),
		oursMs: median(pairs.map(({ ours }) => ours)),
		httpMs: median(pairs.map(({ http }) => http)),
		bareMs: median(pairs.map(({ bare }) => bare)),
	};
}

/**
 * Measures the memory of one run in an n8n that has just started: later runs reuse memory that was
 * not released.
 */
async function measureMemory(
	service: Service,
	count: number,
	buildStep: (credential: Credential) => WorkflowStep,
): Promise<number | undefined> {
	const n8n = RealN8n.create('bench-memory', WITH_BARE_NODE);
	try {
		await n8n.start();
		const credential = await saveCredential(n8n.client, service);
		const content = buildWorkflow('Memory', [START, buildItems(count), buildStep(credential)]);
		const workflow = await n8n.client.createWorkflow(content);
		const memory = new PeakMemory(n8n.pid);
		memory.reset();
		const idleMiB = memory.read();
		await measure(n8n.client, workflow, count);
		const peakMiB = memory.read();
		return peakMiB === undefined || idleMiB === undefined ? undefined : peakMiB - idleMiB;
	} finally {
		await n8n.stop();
	}
}

async function saveCredential(client: N8nClient, service: Service): Promise<Credential> {
	return await client.saveCredential({
		name: 'Bench',
		type: 'videoGenerationApi',
		data: { ...service },
	});
}

function buildItems(count: number): WorkflowStep {
	const jsCode = `return Array.from({ length: ${count} }, (_, i) => ({ json: { queueId: 'queue-' + i } }));`;
	return {
		name: 'Items',
		type: 'n8n-nodes-base.code',
		typeVersion: 2,
		parameters: { jsCode },
	};
}

function buildOurs(credential: Credential): WorkflowStep {
	return videoGeneration(MEASURED, credential, {
		resource: 'queue',
		operation: 'getProgress',
		queueId: '={{ $json.queueId }}',
		options: {},
	});
}

/**
 * Builds a step with the newest version of the node, as a user adds it, with the same credential.
 */
function buildHttpRequest({ id, name }: Credential, { baseUrl }: Service): WorkflowStep {
	return {
		name: MEASURED,
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.5,
		parameters: {
			url: `=${baseUrl}/v1/queue/progress/{{ $json.queueId }}`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'videoGenerationApi',
			options: {},
		},
		credentials: { videoGenerationApi: { id, name } },
	};
}

/** Builds a step that only sends the requests. */
function buildBare({ id, name }: Credential): WorkflowStep {
	return {
		name: MEASURED,
		type: 'CUSTOM.bareRequests',
		credentials: { videoGenerationApi: { id, name } },
	};
}

async function measure(client: N8nClient, workflow: Workflow, count: number): Promise<number> {
	const id = await client.runWorkflow(workflow.id, START.name);
	const { status, data } = await client.waitForExecution(id, TIMEOUT_MS);
	const run = data.resultData.runData?.[MEASURED]?.[0];
	const items = run?.data?.main?.[0]?.length ?? 0;
	if (!run || status !== 'success' || items !== count) {
		const reason = data.resultData.error?.message ?? 'no error';
		throw new Error(`${items} of ${count} items, ${status}: ${reason}`);
	}
	return run.executionTime;
}

void main();
