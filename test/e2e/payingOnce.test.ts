import { stringify } from 'flatted';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import type { Execution } from '../../scripts/n8n/n8nTypes';
import { OPERATIONS } from '../support/engine/OPERATIONS';
import { unfoldError } from '../support/engine/unfoldError';
import { buildWorkflow, makeItems, START, videoGeneration } from '../support/e2e/buildWorkflow';
import { WITHOUT_CODE } from '../support/e2e/RealN8n';
import { readItems, runContent } from '../support/e2e/runContent';
import { useRealN8n } from '../support/e2e/useRealN8n';

const real = useRealN8n('paying-once', { environment: WITHOUT_CODE });
const TIMEOUT_MS = 120_000;
const ADD = { ...OPERATIONS['queue.add'], customPrompt: '={{ $json.prompt }}' };
const PROMPTS = ['one', 'two', 'three'];
const ITEMS = PROMPTS.map((prompt) => ({ prompt }));

const build = (items: object[], parameters: object, settings: Record<string, unknown> = {}) =>
	buildWorkflow('Pay once', [
		START,
		...makeItems(items),
		videoGeneration('Video', real.credential, { ...parameters }, settings),
	]);
const run = async (items: object[], parameters: object) =>
	await runContent(real.client, build(items, parameters));

/** Presses Executions > Retry, with the workflow as it was or as it is saved now. */
async function retry({ id }: Execution, workflow = 'original'): Promise<Execution> {
	const { client } = real;
	const retryId = await client.retryExecution(id, workflow === 'saved');
	return await client.waitForExecution(retryId, TIMEOUT_MS);
}

const failAdd = (fault: FaultSpec) => real.sandbox.addFault({ ...fault, operation: 'queue.add' });
const listPaid = () => real.sandbox.charges.map(({ customPrompt }) => customPrompt);
const listPaidIds = () => real.sandbox.charges.map(({ queueId }) => queueId);
const listOperations = () => real.sandbox.requests.map(({ operation }) => operation);
const readJson = (execution: Execution, output = 0) =>
	readItems(execution, 'Video', output).map(({ json }) => unfoldError(json));

describe.each(['original', 'saved'])('Executions > Retry with the %s workflow', (workflow) => {
	test('and a retry of the failed retry send what was refused, and no accepted add again', async () => {
		failAdd({ kind: 'status', status: 400, nth: 2 });
		failAdd({ kind: 'status', status: 400, nth: 4 });
		const failed = await run(ITEMS, ADD);
		const retried = await retry(failed, workflow);
		expect([failed.status, retried.status]).toEqual(['error', 'error']);
		const execution = await retry(retried, workflow);
		expect(execution.status).toBe('success');
		expect(listPaid()).toEqual(PROMPTS);
		expect(listOperations()).toHaveLength(5);
		expect(readJson(execution).map(({ queueId }) => queueId)).toEqual(listPaidIds());
	});

	test('adds nothing after an unknown fate, also when the failed retry is retried', async () => {
		failAdd({ kind: 'reset', phase: 'after', nth: 2 });
		let execution = await run(ITEMS, ADD);
		for (let retries = 0; retries < 2; retries++) {
			execution = await retry(execution, workflow);
			expect(execution.status).toBe('error');
			const { message, description } = execution.data.resultData.error ?? {};
			expect(message).toContain('The connection to the video service broke');
			expect(description).toContain('may have been queued');
			expect(description).toContain(listPaidIds()[0]);
		}
		expect(listOperations()).toEqual(['queue.add', 'queue.add']);
	});
});

describe('Executions > Retry', () => {
	test('of 500 items needs 100 KB in the failed execution, and nothing in the successful one', async () => {
		const { client, sandbox } = real;
		const prompts = Array.from({ length: 500 }, (_, index) => `Video ${index}`);
		sandbox.setCredits('main', prompts.length);
		failAdd({ kind: 'status', status: 400, nth: prompts.length });
		const failed = await run(
			prompts.map((prompt) => ({ prompt })),
			ADD,
		);
		expect(failed.status).toBe('error');
		const isOurs = (key: unknown) => key === 'videoGeneration';
		const without = stringify(failed.data, (key, value: unknown) =>
			isOurs(key) ? undefined : value,
		);
		const { data: stored } = await client.request<{ data: string }>(
			'GET',
			`/executions/${failed.id}`,
		);
		expect(stored).toContain(listPaidIds()[0]);
		const bytes = Buffer.byteLength(stored) - Buffer.byteLength(without);
		process.stdout.write(`n8n keeps ${bytes} bytes for 500 items\n`);
		expect(bytes).toBeGreaterThan(0);
		expect(bytes).toBeLessThan(100_000);

		const execution = await retry(failed);
		expect(execution.status).toBe('success');
		expect(listPaid()).toEqual(prompts);
		expect(JSON.stringify(execution.data)).not.toContain('"videoGeneration":');
	});
});

describe('A unique key', () => {
	const KEYED = { ...ADD, options: { uniqueKey: '={{ $json.id }}' } };
	const SETTINGS = { onError: 'continueErrorOutput' };
	const makeRows = (name: string) =>
		Array.from({ length: 20 }, (_, row) => ({ id: `${name}-${row}`, prompt: `${name} ${row};` }));
	const start = async (id: string) => await real.client.runWorkflow(id, START.name);
	const rerun = async (id: string) =>
		await real.client.waitForExecution(await start(id), TIMEOUT_MS);
	const listUsedKeys = (execution: Execution) =>
		readJson(execution, 1).map(({ error, message, details }) => {
			expect(error).toBe('A video was already queued for this key, or may have been');
			const { uniqueKey } = details as { uniqueKey: string };
			expect(message).toContain(`The key is "${uniqueKey}".`);
			return uniqueKey;
		});

	test('is used once by two executions of a saved workflow', async () => {
		const rows = makeRows('row');
		const { workflowId } = await runContent(real.client, build(rows, KEYED, SETTINGS));
		const second = await rerun(workflowId);
		expect(listPaid()).toEqual(rows.map(({ prompt }) => prompt));
		expect(listUsedKeys(second)).toEqual(rows.map(({ id }) => id));
	});

	test("is used once when a sub-workflow's parent is retried, which starts the sub-workflow anew", async () => {
		const { client } = real;
		const rows = makeRows('child').slice(0, 3);
		failAdd({ kind: 'status', status: 400, nth: 2 });
		const called = {
			...{ name: 'Called', type: 'n8n-nodes-base.executeWorkflowTrigger', typeVersion: 1.1 },
			parameters: { inputSource: 'passthrough' },
		};
		const child = await client.createWorkflow(
			buildWorkflow('Child', [called, videoGeneration('Video', real.credential, KEYED)]),
		);
		// n8n runs published sub-workflows only.
		await client.activateWorkflow(child);
		const call = {
			...{ name: 'Call', type: 'n8n-nodes-base.executeWorkflow', typeVersion: 1.2 },
			parameters: { workflowId: { __rl: true, mode: 'id', value: child.id } },
		};
		const failed = await runContent(
			client,
			buildWorkflow('Parent', [START, ...makeItems(rows), call]),
		);
		expect(failed.status).toBe('error');
		await retry(failed);
		expect(listPaid()).toEqual([rows[0]?.prompt]);
	});

	test('is used once when a person selects Execute step behind a failed add, which adds anew', async () => {
		const { client } = real;
		const rows = makeRows('step').slice(0, 3);
		failAdd({ kind: 'status', status: 400, nth: 2 });
		const content = buildWorkflow('Step', [
			...[START, ...makeItems(rows), videoGeneration('Video', real.credential, KEYED)],
			{ name: 'After', type: 'n8n-nodes-base.noOp' },
		]);
		const failed = await runContent(client, content);
		const { workflowId } = failed;
		const { executionId } = await client.request<{ executionId: string }>(
			...(['POST', `/workflows/${workflowId}/run`] as const),
			{
				workflowData: await client.request<object>('GET', `/workflows/${workflowId}`),
				runData: failed.data.resultData.runData,
				destinationNode: { nodeName: 'After', mode: 'inclusive' },
				dirtyNodeNames: [],
			},
		);
		const step = await client.waitForExecution(executionId, TIMEOUT_MS);
		expect(step.data.resultData.error?.message).toBe(
			'A video was already queued for this key, or may have been',
		);
		expect(listPaid()).toEqual([rows[0]?.prompt]);
	});
});
