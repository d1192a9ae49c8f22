import { readVideoFile } from '../../sandbox/files/readVideoFile';
import { describeWith } from '../support/e2e/describeWith';
import { readItems } from '../support/e2e/RealN8n';
import { useQueueMode } from './queueMode/useQueueMode';
import { buildWorkflows, MAX_LAG_MS } from './queueMode/workflows';

// Killed workers, three workers, and a database that stops are tested in the folder weekly.

const WORKERS = ['worker-1', 'worker-2'];

const SHORT = { pendingMs: 200, processingMs: 500, renderingMs: 200 };

/** The trigger polls every ten seconds. */
const NEXT_POLL_MS = 60_000;

describeWith(['redis', 'postgresql'], "In n8n's queue mode, with two workers", () => {
	const queueMode = useQueueMode(
		{ name: 'queue-mode', workers: WORKERS, concurrency: 2, credits: 100 },
		buildWorkflows,
	);
	const { findWorker, listGiven, n8n, startExecution, startOrder, waitForExecutions } = queueMode;

	const addProject = (durations: object): string => {
		const [{ id } = { id: '' }] = queueMode.sandbox.addProjects('main', [{ durations }]);
		return id;
	};
	/** Starts executions with these numbers of rows at the same time. */
	const startRows = async (project: string, counts: number[]): Promise<string[]> =>
		await Promise.all(
			counts.map(async (count) => {
				const rows = Array.from({ length: count }, () => ({ project }));
				return await startExecution('share', { rows });
			}),
		);

	test('nobody is given the video of another worker, execution or person of the same project', async () => {
		const { sandbox } = queueMode;
		// The trigger's first poll outputs nothing, so the videos come after it.
		const firstPoll = { operation: 'video.getAll', count: 1, timeoutMs: NEXT_POLL_MS } as const;
		await sandbox.waitForRequests(firstPoll);
		const projectId = addProject({});
		// Each add gets durations of its own, and is followed by a video of somebody else.
		let adds = 0;
		const stopListening = sandbox.onRequest(({ operation }) => {
			if (operation !== 'queue.add') return;
			const processingMs = 500 + 900 * (adds % 5);
			const logDelayMs = (700 * adds) % MAX_LAG_MS;
			sandbox.changeProject(projectId, { durations: { ...SHORT, processingMs, logDelayMs } });
			adds += 1;
			if (adds % 2 === 0) sandbox.queueVideo(projectId);
		});
		const started = await startRows(projectId, [1, 1, 1, 1]);
		const executions = await waitForExecutions(started);
		// Once the others are finished, the next video of the project is told again.
		const next = await waitForExecutions(await startRows(projectId, [1]));
		stopListening();

		expect(executions.map(({ status }) => status)).toEqual(started.map(() => 'success'));
		// They fill all places, so that both workers have had their part.
		expect(n8n.workers.map((worker) => worker.listStarted().length)).not.toContain(0);
		const items = listGiven(executions);
		expect(items).toHaveLength(4);
		expect(items).not.toContain('another');
		expect(listGiven(next)).toEqual(['own']);
	});

	test('orders of several workflows that call the example each get their own', async () => {
		const project = addProject(SHORT);
		const prompts = ['a', 'b', 'c', 'd', 'e', 'f'];
		const orders = await Promise.all(prompts.map((prompt) => startOrder(project, prompt)));
		const executions = await waitForExecutions(orders);
		expect(new Set(orders.map(findWorker)).size).toBe(2);
		expect(listGiven(executions)).toEqual(Array(6).fill('own'));
		const files = executions.flatMap((execution) => readItems(execution, 'Generate'));
		expect(files.map(({ binary }) => binary?.data?.mimeType)).toEqual(Array(6).fill('video/mp4'));
		// A worker has stored the file, and main reads it.
		const file = files[0]?.binary?.data;
		expect(file?.id).toMatch(/^database:/);
		const content = file && (await n8n.main.client.readBinary(file));
		expect(content?.equals(readVideoFile('product-teaser'))).toBe(true);
	});
});
