import { buildWorkflow, makeItems, START, videoGeneration } from '../../support/e2e/buildWorkflow';
import { GENERATE } from '../../support/engine/OPERATIONS';
import { real } from './n8n';

const TIMEOUT_MS = 50_000;

const start = async (project: string, pollingInterval: number, settings = {}) => {
	const { client, credential } = real;
	// A video that the workflow's own timeout would surely end is not queued.
	const generate = { ...GENERATE, waitOptions: { pollingInterval, listingDelay: 1 } };
	const steps = [...makeItems([{ project }]), videoGeneration('Generate', credential, generate)];
	const content = buildWorkflow('Wait', [START, ...steps], { settings });
	return await client.runWorkflow((await client.createWorkflow(content)).id, START.name);
};

test('In a real n8n, an execution that waits ends at once when it is stopped or its own timeout is over', async () => {
	const { client, sandbox } = real;
	sandbox.configure({ durations: { processingMs: 600_000 } });
	// Executions of one project would take turns.
	const timedOut = await start('project-launch-film', 1, { executionTimeout: 4 });
	// The second one would not look again before the time limit below has passed.
	const stopped = [
		await start('project-product-teaser', 1),
		await start('project-city-tour', TIMEOUT_MS / 1_000 + 10),
	];
	await sandbox.waitForRequests({ operation: 'queue.add', count: 3, timeoutMs: 60_000 });
	await sandbox.waitForRequests({ operation: 'queue.getProgress', count: 4, timeoutMs: 60_000 });
	for (const id of stopped) await client.request('POST', `/executions/${id}/stop`);
	for (const id of [...stopped, timedOut]) {
		expect((await client.waitForExecution(id, TIMEOUT_MS)).status).toBe('canceled');
	}
});
