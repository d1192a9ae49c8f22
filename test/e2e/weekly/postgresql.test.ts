import { waitFor } from '../../../scripts/waitFor';
import { describeWith } from '../../support/e2e/describeWith';
import { useQueueMode } from '../queueMode/useQueueMode';
import { buildWorkflows } from '../queueMode/workflows';

/** Beside other checks, a machine may need minutes. */
const BUSY_MS = 180_000;

describeWith(['redis', 'postgresql'], "In n8n's queue mode, whose PostgreSQL stops", () => {
	const queueMode = useQueueMode(
		{ name: 'postgresql', workers: ['worker'], concurrency: 5, credits: 100 },
		buildWorkflows,
	);
	const { n8n, startExecution } = queueMode;

	test('an execution that ends meanwhile stays "running", and its queue ID is in the log', async () => {
		const { databases, sandbox } = queueMode;
		const durations = { pendingMs: 200, processingMs: 4_000, renderingMs: 200 };
		const [project] = sandbox.addProjects('main', [{ durations }]);
		const rows = [{ project: project?.id }];
		const id = await startExecution('share', { rows });
		const [worker] = n8n.workers;
		const queued = await waitFor('the add', () => worker?.listQueuedVideos().get(id), BUSY_MS);
		const startPostgresql = await databases.stopPostgresql();
		await waitFor('its end', () => worker?.listRunning().length === 0, BUSY_MS);
		await startPostgresql();
		const { status } = await waitFor(
			'n8n to find its database again',
			async () => await n8n.main.client.getExecution(id).catch(() => false as const),
			BUSY_MS,
		);
		expect(status).toBe('running');
		expect(sandbox.charges.map(({ queueId }) => queueId)).toEqual([queued.queueId]);
	});
});
