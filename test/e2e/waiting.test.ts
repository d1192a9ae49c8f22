import { buildWorkflow, START, videoGeneration } from '../support/e2e/buildWorkflow';
import { useRealN8n } from '../support/e2e/useRealN8n';

describe("In a real n8n, the workflow's own timeout", () => {
	const real = useRealN8n('waiting');

	test('ends items that wait, and nothing is sent after it', async () => {
		const { client, credential, sandbox } = real;
		sandbox.configure({ durations: { processingMs: 600_000 } });
		const add = videoGeneration('Queue and wait', credential, {
			resource: 'queue',
			operation: 'add',
			projectId: { __rl: true, mode: 'id', value: 'project-city-tour' },
			waitForCompletion: true,
			waitOptions: { pollingInterval: 1 },
			options: {},
		});
		const content = buildWorkflow('Wait too long', [START, add], {
			settings: { executionTimeout: 5 },
		});
		const workflow = await client.createWorkflow(content);
		const executionId = await client.runWorkflow(workflow.id, START.name);
		const execution = await client.waitForExecution(executionId, 60_000);
		expect(execution.status).toBe('canceled');

		const looks = () =>
			sandbox.requests.filter(({ operation }) => operation === 'queue.getProgress').length;
		expect(looks()).toBeGreaterThan(1);
		const before = looks();
		// Any other request to n8n shows that it goes on; a look would have come within this second.
		const from = Date.now();
		while (Date.now() - from < 2_500) await client.getExecution(executionId);
		expect(looks()).toBe(before);
	});
});
