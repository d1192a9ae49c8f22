import { buildWorkflow, makeItems, START, videoGeneration } from '../../support/e2e/buildWorkflow';
import { readItems } from '../../support/e2e/RealN8n';
import { QUICKLY } from '../../support/e2e/setUpExample';
import { GENERATE, WAIT } from '../../support/engine/OPERATIONS';
import { real } from './n8n';

const TIMEOUT_MS = 50_000;

const start = async (item: object, parameters: Record<string, unknown>, settings = {}) => {
	const { client, credential } = real;
	const steps = [...makeItems([item]), videoGeneration('Video', credential, parameters)];
	const workflow = await client.createWorkflow(buildWorkflow('Wait', [START, ...steps], settings));
	return await client.runWorkflow(workflow.id, START.name);
};
const generate = async (project: string, pollingInterval: number, settings = {}) => {
	const waitOptions = { pollingInterval, listingDelay: 1 };
	return await start({ project }, { ...GENERATE, waitOptions }, settings);
};
const waitForEnd = async (id: string) => await real.client.waitForExecution(id, TIMEOUT_MS);

test("In a real n8n, an execution that waits ends at once when it is stopped or its own timeout is over, and the queue ID in n8n's log gets its video", async () => {
	const { client, n8n, sandbox } = real;
	sandbox.configure({ durations: { processingMs: 600_000 } });
	// Executions of one project would take turns. A video that the workflow's own timeout would surely end is
	// not queued.
	const timedOut = await generate('project-launch-film', 1, { executionTimeout: 4 });
	const stopped = await generate('project-product-teaser', 1);
	// It would not look again before the time limit below has passed.
	const patient = await generate('project-city-tour', TIMEOUT_MS / 1_000 + 10);
	await sandbox.waitForRequests({ operation: 'queue.add', count: 3, timeoutMs: 60_000 });
	await sandbox.waitForRequests({ operation: 'queue.getProgress', count: 4, timeoutMs: 60_000 });
	for (const id of [stopped, patient]) await client.request('POST', `/executions/${id}/stop`);
	for (const id of [stopped, patient, timedOut]) {
		expect((await waitForEnd(id)).status).toBe('canceled');
	}

	const logged = n8n.listQueuedVideos();
	for (const id of [stopped, timedOut]) {
		const { queueId, projectId: project } = logged.get(id) ?? {};
		sandbox.clearRequests();
		const waiting = await start({ queueId, project }, { ...WAIT, waitOptions: QUICKLY });
		await sandbox.waitForRequests({ operation: 'queue.getProgress', count: 1, timeoutMs: 60_000 });
		sandbox.finish(queueId ?? '');
		const charge = sandbox.charges.find((paid) => paid.projectId === project);
		expect(readItems(await waitForEnd(waiting), 'Video')).toMatchObject([
			{ json: { queueId: charge?.queueId, video: { id: charge?.videoId } } },
		]);
	}
	expect(sandbox.charges).toHaveLength(3);
});
