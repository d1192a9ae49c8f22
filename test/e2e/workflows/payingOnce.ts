import type { FaultSpec } from '../../../sandbox/faults/FaultSpec';
import type { Execution } from '../../../scripts/n8n/n8nTypes';
import { buildWorkflow, makeItems, START, videoGeneration } from '../../support/e2e/buildWorkflow';
import { readItems } from '../../support/e2e/RealN8n';
import { byId, OPERATIONS } from '../../support/engine/OPERATIONS';
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

const failAdd = (fault: FaultSpec) => real.sandbox.addFault({ ...fault, operation: 'queue.add' });
const listPaid = () => real.sandbox.charges.map(({ customPrompt }) => customPrompt);

describe('Executions > Retry, with the original workflow and then with the saved one,', () => {
	const runAdds = async () =>
		await real.n8n.run(buildWorkflow('Pay once', [START, ...ITEMS, video(ADD)]));

	test('sends what was refused, no accepted add again, and leaves nothing in the execution that succeeds', async () => {
		failAdd({ kind: 'status', status: 400, nth: 2 });
		failAdd({ kind: 'status', status: 400, nth: 4 });
		const failed = await runAdds();
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

	test('adds nothing after an unknown fate', async () => {
		failAdd({ kind: 'reset', phase: 'after', nth: 2 });
		let execution = await runAdds();
		for (const workflow of ['original', 'saved'] as const) {
			execution = await retry(execution, workflow);
			const { message, description } = execution.data.resultData.error ?? {};
			expect(message).toContain('The connection to the video service broke');
			expect(description).toContain('may have been queued');
			expect(description).toContain(real.sandbox.charges[0]?.queueId);
		}
		expect(real.sandbox.requests).toHaveLength(2);
	});
});

describe('A unique key is used once', () => {
	test("when a sub-workflow's parent is retried, which starts the sub-workflow anew", async () => {
		const { client, n8n } = real;
		failAdd({ kind: 'status', status: 400, nth: 2 });
		const called = {
			name: 'Called',
			type: 'n8n-nodes-base.executeWorkflowTrigger',
			typeVersion: 1.1,
			parameters: { inputSource: 'passthrough' },
		};
		const child = await client.createWorkflow(buildWorkflow('Child', [called, video(KEYED)]));
		// n8n runs published sub-workflows only.
		await client.activateWorkflow(child);
		const call = {
			name: 'Call',
			type: 'n8n-nodes-base.executeWorkflow',
			typeVersion: 1.2,
			parameters: { workflowId: byId(child.id) },
		};
		const failed = await n8n.run(buildWorkflow('Parent', [START, ...ITEMS, call]));
		expect(failed.status).toBe('error');
		await retry(failed, 'original');
		expect(listPaid()).toEqual(['one']);
	});

	test('when a person selects Execute step behind a failed add, which adds anew', async () => {
		const { client, n8n } = real;
		failAdd({ kind: 'status', status: 400, nth: 2 });
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
