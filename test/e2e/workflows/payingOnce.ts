import type { Execution } from '../../../scripts/n8n/n8nTypes';
import {
	buildWorkflow,
	CALLED,
	callWorkflow,
	makeItems,
	START,
	videoGeneration,
} from '../../support/e2e/buildWorkflow';
import { readItems } from '../../support/e2e/RealN8n';
import { OPERATIONS } from '../../support/engine/OPERATIONS';
import { real } from './n8n';

const TIMEOUT_MS = 120_000;
const ADD = { ...OPERATIONS['queue.add'], customPrompt: '={{ $json.prompt }}' };
const KEYED = { ...ADD, options: { uniqueKey: '={{ $json.prompt }}' } };
const PROMPTS = ['one', 'two', 'three'];
const ITEMS = makeItems(PROMPTS.map((prompt) => ({ prompt })));

const video = (parameters: object) => videoGeneration('Video', real.credential, { ...parameters });

/** Presses Executions > Retry, with the workflow as it was or as it is saved now. */
async function retry({ id }: Execution, workflow: 'original' | 'saved'): Promise<Execution> {
	const { client } = real;
	const retryId = await client.retryExecution(id, workflow === 'saved');
	return await client.waitForExecution(retryId, TIMEOUT_MS);
}

const refuseAdd = (nth: number) =>
	real.sandbox.addFault({ kind: 'status', status: 400, operation: 'queue.add', nth });
const listPaid = () => real.sandbox.charges.map(({ customPrompt }) => customPrompt);

test('Executions > Retry, with the original workflow and then with the saved one, sends what was refused, no accepted add again, and leaves nothing in the execution that succeeds', async () => {
	refuseAdd(2);
	refuseAdd(4);
	const failed = await real.n8n.run(buildWorkflow('Pay once', [START, ...ITEMS, video(ADD)]));
	const again = await retry(failed, 'original');
	expect([failed.status, again.status]).toEqual(['error', 'error']);
	const execution = await retry(again, 'saved');
	expect(listPaid()).toEqual(PROMPTS);
	expect(real.sandbox.requests).toHaveLength(5);
	expect(readItems(execution, 'Video').map(({ json }) => json.queueId)).toEqual(
		real.sandbox.charges.map(({ queueId }) => queueId),
	);
	const isKept = ({ data }: Execution) => JSON.stringify(data).includes('"videoGeneration":');
	expect([failed, execution].map(isKept)).toEqual([true, false]);
});

describe('A unique key is used once', () => {
	test("when a sub-workflow's parent is retried, which starts the sub-workflow anew", async () => {
		const { client, n8n } = real;
		refuseAdd(2);
		const child = await client.createWorkflow(buildWorkflow('Child', [CALLED, video(KEYED)]));
		// n8n runs published sub-workflows only.
		await client.activateWorkflow(child);
		const call = callWorkflow(child.id);
		const failed = await n8n.run(buildWorkflow('Parent', [START, ...ITEMS, call]));
		expect(failed.status).toBe('error');
		await retry(failed, 'original');
		expect(listPaid()).toEqual(['one']);
	});

	test('when a person selects Execute step behind a failed add, which adds anew', async () => {
		const { client, n8n } = real;
		refuseAdd(2);
		const after = { name: 'After', type: 'n8n-nodes-base.noOp' };
		const failed = await n8n.run(buildWorkflow('Step', [START, ...ITEMS, video(KEYED), after]));
		const path = `/workflows/${failed.workflowId}`;
		const { executionId } = await client.request<{ executionId: string }>('POST', `${path}/run`, {
			workflowData: await client.request<object>('GET', path),
			runData: failed.data.resultData.runData,
			destinationNode: { nodeName: after.name, mode: 'inclusive' },
			dirtyNodeNames: [],
		});
		const step = await client.waitForExecution(executionId, TIMEOUT_MS);
		expect(step.data.resultData.error?.message).toMatch(/^The 'Unique Key' of this item was used/);
		expect(listPaid()).toEqual(['one']);
	});
});
