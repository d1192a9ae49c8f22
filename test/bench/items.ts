import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { N8nClient } from '../../scripts/n8n/N8nClient';
import type { Workflow } from '../../scripts/n8n/n8nTypes';
import type { WorkflowStep } from '../support/e2e/buildWorkflow';
import { buildWorkflow, START, videoGeneration } from '../support/e2e/buildWorkflow';
import { OPERATIONS } from '../support/engine/OPERATIONS';
import { RealN8n } from '../support/e2e/RealN8n';
import { compareInTurn } from './compareInTurn';
import { httpRequest } from './httpRequestLoop';

const COUNT = 500;
const PAIRS = 7;
/** Maximum time as a multiple of HTTP Request's time: the same code takes 0.33 to 0.4 of it. */
const LIMIT = 0.45;
const MEASURED = 'Measured';
const TIMEOUT_MS = 120_000;
const API_KEY = 'key-of-the-benchmark';

/**
 * Compares Get Progress for many items with the same requests by n8n's own HTTP Request node: in
 * one real n8n, each node in a separate workflow, in turn. The service is a separate process.
 */
async function main(): Promise<void> {
	const server = fork(__filename, ['serve']);
	const [baseUrl] = (await once(server, 'message')) as [string];
	const n8n = new RealN8n('bench');
	try {
		await n8n.start();
		const [ourWorkflow, httpWorkflow] = await createWorkflows(n8n.client, baseUrl);
		await compareInTurn(
			{ name: `${COUNT} items`, peer: 'HTTP Request', limit: LIMIT, pairs: PAIRS },
			async () => await measure(n8n.client, ourWorkflow),
			async () => await measure(n8n.client, httpWorkflow),
		);
	} finally {
		await n8n.stop();
		server.disconnect();
	}
}

/**
 * Serves as cheaply as possible, until the process that started this one ends: all progress requests get
 * the same response. The sandbox would take most of the measured time.
 */
function serve(): void {
	const createdAt = '2026-11-01T08:00:00.000Z';
	const details = { status: 'pending', progress: 40, createdAt, updatedAt: createdAt };
	const answer = JSON.stringify({ status: 'success', message: 'Progress retrieved', details });
	const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
		const isKnown = request.headers.authorization === `Bearer ${API_KEY}`;
		response.writeHead(isKnown ? 200 : 401, { 'Content-Type': 'application/json' });
		response.end(answer);
	});
	server.listen(0, '127.0.0.1', () => {
		process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
	});
	process.once('disconnect', () => process.exit());
}

/** Creates one workflow with our node, and one with HTTP Request as a user adds it. */
async function createWorkflows(
	client: N8nClient,
	baseUrl: string,
): Promise<[ours: Workflow, http: Workflow]> {
	const data = { baseUrl, apiKey: API_KEY };
	const content = { name: 'Bench', type: 'videoGenerationApi', data };
	const credential = await client.saveCredential(content);
	const jsCode = `return Array.from({ length: ${COUNT} }, (_, i) => ({ json: { queueId: 'queue-' + i } }));`;
	const type = 'n8n-nodes-base.code';
	const items: WorkflowStep = { name: 'Items', type, typeVersion: 2, parameters: { jsCode } };
	const create = async (step: WorkflowStep) =>
		await client.createWorkflow(buildWorkflow(step.type, [START, items, step]));
	const getProgress = { ...OPERATIONS['queue.getProgress'], queueId: '={{ $json.queueId }}' };
	const url = `=${baseUrl}/v1/queue/progress/{{ $json.queueId }}`;
	return [
		await create(videoGeneration(MEASURED, credential, getProgress)),
		await create(httpRequest(MEASURED, credential, { url })),
	];
}

async function measure(client: N8nClient, workflow: Workflow): Promise<number> {
	const id = await client.runWorkflow(workflow.id, START.name);
	const { status, data } = await client.waitForExecution(id, TIMEOUT_MS);
	const run = data.resultData.runData[MEASURED]?.[0];
	const items = run?.data?.main?.[0]?.length ?? 0;
	if (!run || status !== 'success' || items !== COUNT) {
		const reason = data.resultData.error?.message ?? 'no error';
		throw new Error(`${items} of ${COUNT} items, ${status}: ${reason}`);
	}
	return run.executionTime;
}

if (process.send && process.argv[2] === 'serve') serve();
else void main();
