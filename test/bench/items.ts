import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { N8nClient } from '../../scripts/n8n/N8nClient';
import type { Workflow } from '../../scripts/n8n/n8nTypes';
import {
	buildWorkflow,
	START,
	videoGeneration,
	type WorkflowStep,
} from '../support/e2e/buildWorkflow';
import { RealN8n } from '../support/e2e/RealN8n';
import { median } from './median';

const COUNTS = [500, 2_000];
const PAIRS = 11;
/** Maximum time as a multiple of HTTP Request's time. */
const LIMIT = 0.45;
const MEASURED = 'Measured';
const TIMEOUT_MS = 120_000;

interface Service {
	baseUrl: string;
	apiKey: string;
}

/**
 * Compares Get Progress for many items with the same requests by n8n's own HTTP Request node: in
 * one real n8n, each node in a separate workflow, in turn. The service is a separate process.
 */
async function main(): Promise<void> {
	const server = fork(path.join(__dirname, 'serveProgress.ts'));
	const [service] = (await once(server, 'message')) as [Service];
	const n8n = new RealN8n('bench');
	try {
		await n8n.start();
		for (const count of COUNTS) {
			const ratio = await compare(n8n.client, service, count);
			if (ratio > LIMIT) process.exitCode = 1;
		}
	} finally {
		await n8n.stop();
		server.disconnect();
	}
}

async function compare(client: N8nClient, service: Service, count: number): Promise<number> {
	const [ours, http] = await createWorkflows(client, service, count);
	const measureOurs = async () => await measure(client, ours, count);
	const measureHttp = async () => await measure(client, http, count);
	// The first runs fill n8n's caches and compile its code.
	for (const warmUp of [measureOurs, measureHttp]) await warmUp();

	const pairs: { ours: number; http: number }[] = [];
	for (let i = 0; i < PAIRS; i++) {
		// The nodes take turns in running first, so that the effects of one run on the next affect
		// both.
		const first = i % 2 === 0 ? await measureOurs() : await measureHttp();
		const second = i % 2 === 0 ? await measureHttp() : await measureOurs();
		pairs.push(i % 2 === 0 ? { ours: first, http: second } : { ours: second, http: first });
	}
	const ratios = pairs.map((pair) => pair.ours / pair.http);
	const ratio = median(ratios);
	const range = [Math.min(...ratios), Math.max(...ratios)].map((each) => each.toFixed(2));
	console.log(
		`${count} items: ${median(pairs.map((pair) => pair.ours))} ms, HTTP Request ${median(pairs.map((pair) => pair.http))} ms. ${ratio.toFixed(2)} times (${range.join(' to ')}), limit ${LIMIT}: ${ratio <= LIMIT ? 'good' : 'NOT GOOD'}`,
	);
	return ratio;
}

/** Creates one workflow with our node, and one with HTTP Request as a user adds it. */
async function createWorkflows(
	client: N8nClient,
	service: Service,
	count: number,
): Promise<[ours: Workflow, http: Workflow]> {
	const credential = await client.saveCredential({
		name: 'Bench',
		type: 'videoGenerationApi',
		data: { ...service },
	});
	const items: WorkflowStep = {
		name: 'Items',
		type: 'n8n-nodes-base.code',
		typeVersion: 2,
		parameters: {
			jsCode: `return Array.from({ length: ${count} }, (_, i) => ({ json: { queueId: 'queue-' + i } }));`,
		},
	};
	const ours = videoGeneration(MEASURED, credential, {
		resource: 'queue',
		operation: 'getProgress',
		queueId: '={{ $json.queueId }}',
		options: {},
	});
	const http: WorkflowStep = {
		name: MEASURED,
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.5,
		parameters: {
			url: `=${service.baseUrl}/v1/queue/progress/{{ $json.queueId }}`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'videoGenerationApi',
			options: {},
		},
		credentials: { videoGenerationApi: { id: credential.id, name: credential.name } },
	};
	const create = async (step: WorkflowStep) =>
		await client.createWorkflow(
			buildWorkflow(`${count} items by ${step.type}`, [START, items, step]),
		);
	return [await create(ours), await create(http)];
}

async function measure(client: N8nClient, workflow: Workflow, count: number): Promise<number> {
	const id = await client.runWorkflow(workflow.id, START.name);
	const { status, data } = await client.waitForExecution(id, TIMEOUT_MS);
	const run = data.resultData.runData[MEASURED]?.[0];
	const items = run?.data?.main?.[0]?.length ?? 0;
	if (!run || status !== 'success' || items !== count) {
		const reason = data.resultData.error?.message ?? 'no error';
		throw new Error(`${items} of ${count} items, ${status}: ${reason}`);
	}
	return run.executionTime;
}

void main();
