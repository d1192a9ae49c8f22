import axios from 'axios';
import type { Project } from '../../sandbox/domain/model';
import type { Credential, Execution, WorkflowContent } from '../../scripts/n8n/n8nTypes';
import {
	buildCalledWorkflow,
	buildWorkflow,
	videoGeneration,
	videoGenerationTrigger,
	type WorkflowStep,
} from '../support/e2e/buildWorkflow';
import { describeWith } from '../support/e2e/describeWith';
import type { N8nWorker } from './queueMode/N8nWorker';
import { readItems } from '../support/e2e/runContent';
import { useQueueMode } from './queueMode/useQueueMode';
import { waitFor } from '../../scripts/waitFor';

/** How many executions one worker runs at the same time. */
const CONCURRENCY = 2;
/** All places of both workers, and two executions that wait in Redis. */
const EXECUTIONS = 2 * CONCURRENCY + 2;
const CREDITS = 100;

const SHORT = { pendingMs: 500, processingMs: 1_000, renderingMs: 500 };
/** Durations longer than the test: such a video is finished by hand. */
const ENDLESS = { pendingMs: 500, processingMs: 3_600_000 };

/** The list shows each video within this time of its end. */
const MAX_LAG_MS = 2_000;

/** The trigger polls every ten seconds. */
const NEXT_POLL_MS = 60_000;

/** Beside other checks, a machine may need minutes. */
const BUSY_MS = 180_000;

const QUEUED = /Queued video "(.+?)" of project "(.+?)" in execution (\d+)/g;

// The names of the workflows, which are also the paths of their webhooks.
const GENERATE = 'generate';
const DOWNLOAD = 'download';
const REACT = 'react';
const SHARE = 'share';

describeWith(['redis-server', 'postgres'], "In n8n's queue mode, with two workers", () => {
	const queueMode = useQueueMode(
		{ name: 'queue-mode', concurrency: CONCURRENCY, credits: CREDITS },
		buildWorkflows,
	);
	const { n8n, startExecution, waitForExecutions, countRequests, findQueueItem } = queueMode;

	const addProjects = (count: number, durations: object): Project[] =>
		queueMode.sandbox.addProjects(
			'main',
			Array.from({ length: count }, () => ({ durations })),
		);
	/** Starts one execution for each project. @returns their ids, by project */
	const startVideos = async (projects: Project[]): Promise<Map<string, string>> => {
		const started = new Map<string, string>();
		for (const { id } of projects) {
			started.set(id, await startExecution(GENERATE, { projectId: id }));
		}
		return started;
	};
	/** Starts executions with these numbers of rows of one project, at the same time. */
	const startRows = async (projectId: string, counts: number[]): Promise<string[]> =>
		await Promise.all(
			counts.map(async (count) => {
				const rows = Array.from({ length: count }, () => ({ projectId }));
				return await startExecution(SHARE, { rows });
			}),
		);
	const finishVideos = (projects: Project[]) => {
		for (const { id } of projects) {
			const item = findQueueItem(id);
			if (item) queueMode.sandbox.finish(item.queueId);
		}
	};
	const findWorker = (executionId: string | undefined): N8nWorker => {
		const worker = n8n.workers.find((each) => each.listStarted().includes(executionId ?? ''));
		if (!worker) throw new Error(`No worker has begun execution ${executionId}`);
		return worker;
	};
	/** Returns the video that each item was given, and its own. */
	const listGiven = (executions: Execution[]) => {
		const { queue } = queueMode.sandbox.readState();
		const ownOf = new Map(queue.map(({ queueId, videoId }) => [queueId, videoId]));
		return executions
			.flatMap((execution) => readItems(execution, 'Generate'))
			.map(({ json }) => ({
				given: (json.video as { id?: string } | null)?.id,
				own: ownOf.get(json.queueId as string),
			}));
	};
	const isOwn = ({ given, own }: { given?: string; own?: string }) => given === own;
	const listHandedOn = async () =>
		(await n8n.main.listExecutions(queueMode.getWorkflowId(REACT)))
			.flatMap((execution) => readItems(execution, 'When a video is finished'))
			.map(({ json }) => json.id);
	/** The worker that is killed, and the one that is left. */
	let [killed, left] = [] as N8nWorker[];

	test('nobody is given the video of another worker, execution or person of the same project', async () => {
		const { sandbox } = queueMode;
		// The trigger's first poll outputs nothing, so the videos come after it.
		await sandbox.waitForRequests({
			...{ count: 1, operation: 'video.getAll', timeoutMs: NEXT_POLL_MS },
		});
		const [{ id: projectId } = { id: '' }] = addProjects(1, {});
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
		const started = await startRows(projectId, [1, 2, 1, 2]);
		const executions = await waitForExecutions(started);
		// Once the others are finished, the next video of the project is told again.
		const next = await waitForExecutions(await startRows(projectId, [1]));
		stopListening();

		expect(executions.map(({ status }) => status)).toEqual(started.map(() => 'success'));
		// They fill all places, so that both workers have had their part.
		expect(n8n.workers.map((worker) => worker.listStarted().length)).not.toContain(0);
		const items = listGiven(executions);
		expect(items).toHaveLength(6);
		expect(items.filter((item) => item.given !== undefined && !isOwn(item))).toEqual([]);
		expect(listGiven(next).map(isOwn)).toEqual([true]);
	});

	test('a file that a worker has downloaded can be read from main', async () => {
		const [video] = await queueMode.listVideos();
		const id = await startExecution(DOWNLOAD, { videoUrl: video?.url });
		const [execution] = await waitForExecutions([id]);
		const file = execution && readItems(execution, 'Download')[0]?.binary?.data;
		if (!file) throw new Error('There is no file');
		expect(file.mimeType).toBe('video/mp4');
		expect(file.id).toMatch(/^database:/);
		const { data } = await axios.get<Buffer>(video?.url ?? '', {
			responseType: 'arraybuffer',
			proxy: false,
		});
		expect((await n8n.main.client.readBinary(file)).equals(Buffer.from(data))).toBe(true);
	});

	test('no video is paid twice and none is lost when a worker is killed', async () => {
		const { sandbox } = queueMode;
		const before = countRequests('queue.add');
		const projects = addProjects(EXECUTIONS, ENDLESS);
		// The response to this add never comes.
		const inTheAir = projects[0]?.id ?? '';
		const add = { operation: 'queue.add', containing: inTheAir } as const;
		sandbox.addFault({ kind: 'latency', phase: 'after', delayMs: ENDLESS.processingMs, ...add });
		const started = await startVideos(projects);

		// All places of both workers are occupied by endless videos: nothing moves any more.
		const countLogged = () =>
			n8n.workers
				.flatMap((worker) => [...readQueuedVideos(worker.readLog()).keys()])
				.filter((id) => [...started.values()].includes(id)).length;
		await waitFor('all places to be taken', () => countLogged() === 2 * CONCURRENCY - 1, BUSY_MS);

		killed = findWorker(started.get(inTheAir));
		left = n8n.workers.find((worker) => worker !== killed);
		const atWork = killed.listRunning();
		expect(atWork).toHaveLength(CONCURRENCY);
		killed.kill();
		await killed.waitForEnd();
		for (const { id } of projects) sandbox.changeProject(id, { durations: SHORT });
		finishVideos(projects);
		const executions = await waitForExecutions(started.values());

		// One add for each project was sent, accepted and paid.
		const paid = sandbox.charges.filter(({ projectId }) => started.has(projectId));
		expect(paid.map(({ projectId }) => projectId).sort()).toEqual([...started.keys()].sort());
		expect(countRequests('queue.add')).toBe(before + EXECUTIONS);

		// Exactly the running executions of the killed worker have failed.
		const failed = executions.filter(({ status }) => status !== 'success');
		expect(failed.map(({ id }) => id).sort()).toEqual(atWork.sort());
		expect(failed.filter(({ status }) => !['error', 'crashed'].includes(status))).toEqual([]);
		const items = listGiven(executions.filter(({ status }) => status === 'success'));
		expect(items.map(isOwn)).toEqual(Array(EXECUTIONS - CONCURRENCY).fill(true));

		// The killed worker's log names the queue item of each, except the one whose response never
		// arrived.
		const logged = readQueuedVideos(killed.readLog());
		const projectOf = new Map([...started].map(([projectId, id]) => [id, projectId]));
		for (const id of atWork) {
			const projectId = projectOf.get(id) ?? '';
			const named = { queueId: findQueueItem(projectId)?.queueId, projectId };
			expect(logged.get(id)).toEqual(projectId === inTheAir ? undefined : named);
		}
	});

	test('on the one worker that is left, executions at the same time take turns, and each item gets its own video', async () => {
		const [{ id: projectId } = { id: '' }] = addProjects(1, SHORT);
		const items = listGiven(await waitForExecutions(await startRows(projectId, [1, 2])));
		expect(items.map(isOwn)).toEqual([true, true, true]);
	});

	/** Fills the worker that is left with videos that are not finished by themselves. */
	const occupyWorker = async () => {
		const projects = addProjects(CONCURRENCY, ENDLESS);
		const started = await startVideos(projects);
		const areQueued = () => projects.every(({ id }) => findQueueItem(id) !== undefined);
		await waitFor('the videos to be queued', areQueued, BUSY_MS);
		return { projects, ids: [...started.values()] };
	};
	const expectSuccess = async (ids: string[]) => {
		const executions = await waitForExecutions(ids);
		expect(executions.map(({ status }) => status)).toEqual(ids.map(() => 'success'));
	};

	test('the trigger hands on each video once, also when main is killed during a poll', async () => {
		const { projects, ids } = await occupyWorker();
		// Only the trigger sends tags, so this is a poll. Without durable cursors, main keeps its state itself.
		const stopListening = queueMode.sandbox.onRequest(({ headers }) => {
			if ('if-none-match' in headers) n8n.main.kill();
		});
		await n8n.main.waitForEnd();
		stopListening();
		// The videos are finished while main does not poll; the worker continues to wait meanwhile.
		finishVideos(projects);
		await n8n.main.start();
		await expectSuccess(ids);

		const videoIds = (await queueMode.listVideos()).map(({ id }) => id).sort();
		await waitFor(
			'the trigger to hand them on',
			async () => (await listHandedOn()).length >= videoIds.length,
			NEXT_POLL_MS,
		);
		const polls = countRequests('video.getAll');
		await waitFor('the poll after', () => countRequests('video.getAll') > polls, NEXT_POLL_MS);
		expect((await listHandedOn()).sort()).toEqual(videoIds);
	});

	test('a worker that is asked to end waits for its videos first', async () => {
		const { projects, ids } = await occupyWorker();
		const ended = left?.stop();
		await waitFor('the worker to say what it waits for', () =>
			left?.readLog().includes('active executions to finish'),
		);
		finishVideos(projects);
		await ended;
		expect(left?.listRunning()).toEqual([]);
		await expectSuccess(ids);
	});
});

function buildWorkflows(credential: Credential): WorkflowContent[] {
	const ours = (name: string, parameters: object) =>
		videoGeneration(name, credential, { ...parameters, options: {} });
	const generate = (projectId: string, waitOptions: object) =>
		ours('Generate', {
			...{ resource: 'video', operation: 'generate', downloadVideo: false },
			...{ projectId: { __rl: true, mode: 'id', value: projectId }, waitOptions },
		});
	const trigger = videoGenerationTrigger('When a video is finished', credential);
	const rows: WorkflowStep = {
		name: 'Rows',
		type: 'n8n-nodes-base.splitOut',
		parameters: { fieldToSplitOut: 'body.rows', options: {} },
	};
	const video = {
		resource: 'video',
		operation: 'download',
		videoUrl: '={{ $json.body.videoUrl }}',
	};
	return [
		buildWorkflow(REACT, [trigger, { name: 'Next', type: 'n8n-nodes-base.noOp' }]),
		buildCalledWorkflow(GENERATE, [
			generate('={{ $json.body.projectId }}', { pollingInterval: 1 }),
		]),
		buildCalledWorkflow(SHARE, [
			rows,
			generate('={{ $json.projectId }}', {
				pollingInterval: 1,
				listingDelay: MAX_LAG_MS / 1_000 + 1,
			}),
		]),
		buildCalledWorkflow(DOWNLOAD, [ours('Download', { ...video, binaryPropertyName: 'data' })]),
	];
}

/**
 * Finds the lines of n8n's log in which the node names queued videos. @returns the video of each
 * execution, by execution ID
 */
function readQueuedVideos(log: string): Map<string, { queueId: string; projectId: string }> {
	const lines = [...log.matchAll(QUEUED)];
	return new Map(
		lines.map(([, queueId = '', projectId = '', executionId = '']) => [
			executionId,
			{ queueId, projectId },
		]),
	);
}
