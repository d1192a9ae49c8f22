import { setTimeout } from 'node:timers/promises';
import axios from 'axios';
import * as fc from 'fast-check';
import type { Project } from '../../sandbox/domain/model';
import type { Credential, WorkflowContent } from '../../scripts/n8n/n8nTypes';
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

const EXECUTIONS = 30;
/** The concurrency of one worker. */
const CONCURRENCY = 6;
/** Index of the project whose add is in flight when its worker is killed. */
const IN_THE_AIR = EXECUTIONS / 2;
const CREDITS = 1_000;

const SHORT = { pendingMs: 500, processingMs: 1_000, renderingMs: 500 };
/** Durations longer than the test: such a video is finished by hand. */
const ENDLESS = { pendingMs: 500, processingMs: 3_600_000 };

/** Executions of 1 to 3 items, 12 in all, in one project, each beside a video of somebody else. */
const SHARING = 6;
/** The list shows each video within this time of its end. */
const MAX_LAG_MS = 2_000;

/** The trigger polls every ten seconds. */
const NEXT_POLL_MS = 60_000;

/** Beside other checks, a machine may need minutes for thirty executions. */
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

	/** Adds projects: the first ones have short videos, all others have endless ones. */
	const addProjects = (count: number, shortOnes = 0): Project[] =>
		queueMode.sandbox.addProjects(
			'main',
			Array.from({ length: count }, (_, i) => ({ durations: i < shortOnes ? SHORT : ENDLESS })),
		);
	/** Starts one execution for each project. @returns their ids, by project */
	const startVideos = async (projects: Project[]): Promise<Map<string, string>> => {
		const started = new Map<string, string>();
		for (const { id } of projects) {
			started.set(id, await startExecution(GENERATE, { projectId: id }));
		}
		return started;
	};
	const waitUntilQueued = async (projects: Project[]) => {
		const areQueued = () => projects.every(({ id }) => findQueueItem(id) !== undefined);
		await waitFor('the videos to be queued', areQueued, BUSY_MS);
	};
	const finishVideos = (projects: Project[]) => {
		for (const { id } of projects) queueMode.sandbox.finish(findQueueItem(id)?.queueId ?? '');
	};
	const findWorker = (executionId: string | undefined): N8nWorker => {
		const worker = n8n.workers.find((each) => each.listStarted().includes(executionId ?? ''));
		if (!worker) throw new Error(`No worker has begun execution ${executionId}`);
		return worker;
	};
	const listHandedOn = async () =>
		(await n8n.main.listExecutions(queueMode.getWorkflowId(REACT)))
			.flatMap((execution) => readItems(execution, 'When a video is finished'))
			.map(({ json }) => json.id);

	test('no video is paid twice and none is lost when a worker is killed', async () => {
		const { sandbox } = queueMode;
		// The trigger's first poll outputs nothing, so the videos come after it.
		await sandbox.waitForRequests({
			count: 1,
			operation: 'video.getAll',
			timeoutMs: NEXT_POLL_MS,
		});
		const projects = addProjects(EXECUTIONS, IN_THE_AIR);
		const inTheAir = projects[IN_THE_AIR]?.id ?? '';
		sandbox.addFault({
			kind: 'latency',
			phase: 'after',
			delayMs: ENDLESS.processingMs,
			operation: 'queue.add',
			containing: inTheAir,
		});
		const started = await startVideos(projects);

		// All slots of both workers are occupied by endless videos: nothing moves any more.
		const accepted = IN_THE_AIR + 2 * CONCURRENCY;
		const countLogged = () =>
			n8n.workers.reduce((sum, worker) => sum + readQueuedVideos(worker.readLog()).size, 0);
		await waitFor('all places to be taken', () => countLogged() === accepted - 1, BUSY_MS);
		expect(sandbox.readState().queue).toHaveLength(accepted);

		const victim = findWorker(started.get(inTheAir));
		const atWork = victim.listRunning();
		expect(atWork).toHaveLength(CONCURRENCY);
		victim.kill();
		await victim.waitForEnd();
		for (const { id } of projects) sandbox.changeProject(id, { durations: SHORT });
		finishVideos(projects.slice(IN_THE_AIR, accepted));
		// The worker is restarted, as a process manager would do.
		await victim.start();
		const executions = await waitForExecutions(started.values());

		// One add for each project was sent, accepted and paid, and one video made.
		const { queue, accounts } = sandbox.readState();
		const itemOf = new Map(queue.map((item) => [item.projectId, item]));
		expect([queue.length, itemOf.size]).toEqual([EXECUTIONS, EXECUTIONS]);
		expect(countRequests('queue.add')).toBe(EXECUTIONS);
		expect(accounts.find(({ id }) => id === 'main')?.credits).toBe(CREDITS - EXECUTIONS);
		const videos = await queueMode.listVideos();
		expect(videos.map(({ projectId }) => projectId).sort()).toEqual([...started.keys()].sort());

		// Exactly the running executions of the killed worker have failed.
		const failed = executions.filter(({ status }) => status !== 'success');
		expect(failed.map(({ id }) => id).sort()).toEqual(atWork.sort());
		expect(failed.filter(({ status }) => !['error', 'crashed'].includes(status))).toEqual([]);

		// The other executions have output the video of their project.
		const projectOf = new Map([...started].map(([projectId, id]) => [id, projectId]));
		for (const execution of executions.filter(({ status }) => status === 'success')) {
			const { queueId, projectId, videoId } = itemOf.get(projectOf.get(execution.id) ?? '') ?? {};
			expect(readItems(execution, 'Generate').map(({ json }) => json)).toEqual([
				expect.objectContaining({
					...{ queueId, projectId },
					video: expect.objectContaining({ id: videoId }) as unknown,
				}),
			]);
		}

		// The killed worker's log names the queue item of each, except the one whose response never
		// arrived.
		const logged = readQueuedVideos(victim.readLog());
		for (const { id } of failed) {
			const projectId = projectOf.get(id) ?? '';
			const named = { queueId: itemOf.get(projectId)?.queueId, projectId };
			expect(logged.get(id)).toEqual(projectId === inTheAir ? undefined : named);
		}
	});

	test('nobody is given the video of another worker, execution or person of the same project', async () => {
		const { sandbox } = queueMode;
		const [{ id: projectId } = { id: '' }] = addProjects(1);
		const durations = fc.record({
			...{ pendingMs: fc.constant(500), renderingMs: fc.constant(500) },
			...{ processingMs: fc.integer({ min: 500, max: 5_000 }), logDelayMs: fc.nat(MAX_LAG_MS) },
		});
		const samples = fc.sample(durations, { numRuns: 25 + SHARING, seed: 40 });
		const changeDurations = () => {
			sandbox.changeProject(projectId, { durations: samples.pop() ?? {} });
		};
		// Each add gets durations of its own, before it is processed.
		const stopListening = sandbox.onRequest(({ operation }) => {
			if (operation === 'queue.add') changeDurations();
		});
		const started: string[] = [];
		for (let count = 0; count < SHARING; count++) {
			const rows = Array.from({ length: 1 + (count % 3) }, () => ({ projectId }));
			started.push(await startExecution(SHARE, { rows }));
			changeDurations();
			sandbox.queueVideo(projectId);
			await setTimeout(500);
		}
		const executions = await waitForExecutions(started);
		// Once the others are finished, the next video of the project is told again.
		const next = await startExecution(SHARE, { rows: [{ projectId }] });
		const [alone] = await waitForExecutions([next]);
		stopListening();

		expect(executions.map(({ status }) => status)).toEqual(started.map(() => 'success'));
		const items = executions.flatMap((execution) => readItems(execution, 'Generate'));
		const workers = n8n.workers.filter((worker) => countBegun(started)(worker) > 0);
		expect([items.length, workers.length]).toEqual([12, 2]);
		const { queue } = sandbox.readState();
		const ownOf = new Map(queue.map(({ queueId, videoId }) => [queueId, videoId]));
		const given = items.filter(({ json }) => json.video !== null);
		const wrong = given.filter(({ json }) => {
			const { id } = json.video as { id: string };
			return id !== ownOf.get(json.queueId as string);
		});
		expect(wrong).toEqual([]);
		const [last] = alone ? readItems(alone, 'Generate') : [];
		const ownVideo = { id: ownOf.get(last?.json.queueId as string) };
		expect(last?.json.video).toEqual(expect.objectContaining(ownVideo));
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

	test('the trigger hands on each video once, also when main is killed during a poll', async () => {
		const { sandbox } = queueMode;
		const projects = addProjects(10);
		const started = await startVideos(projects);
		await waitUntilQueued(projects);
		// Only the trigger sends tags, so this is a poll. Without durable cursors, main keeps its state itself.
		const stopListening = sandbox.onRequest(({ headers }) => {
			if ('if-none-match' in headers) n8n.main.kill();
		});
		await n8n.main.waitForEnd();
		stopListening();
		// The videos are finished while main does not poll; the workers continue to wait meanwhile.
		finishVideos(projects);
		await n8n.main.start();
		const executions = await waitForExecutions(started.values());
		expect(executions.map(({ status }) => status)).toEqual(projects.map(() => 'success'));

		const videoIds = (await queueMode.listVideos()).map(({ id }) => id).sort();
		expect(videoIds.length).toBeGreaterThan(EXECUTIONS);
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
		const [stopped] = n8n.workers;
		const projects = addProjects(10);
		const started = await startVideos(projects);
		await waitUntilQueued(projects);
		const begun = new Set(stopped.listStarted());
		const own = [...started.values()].filter((id) => begun.has(id));
		expect(own.length).toBeGreaterThan(0);

		const ended = stopped.stop();
		await waitFor('the worker to say what it waits for', () =>
			stopped.readLog().includes('active executions to finish'),
		);
		finishVideos(projects);
		await ended;
		const log = stopped.readLog();
		expect(own.filter((id) => !log.includes(`Worker finished execution ${id} `))).toEqual([]);
		const executions = await waitForExecutions(started.values());
		expect(executions.map(({ status }) => status)).toEqual(projects.map(() => 'success'));
	});

	test('on the one worker that is left, executions at the same time take turns, and each item gets its own video', async () => {
		const [{ id: projectId } = { id: '' }] = addProjects(1, 1);
		const started = [];
		for (const count of [1, 3, 1, 2]) {
			const rows = Array.from({ length: count }, () => ({ projectId }));
			started.push(await startExecution(SHARE, { rows }));
		}
		const executions = await waitForExecutions(started);
		const { queue } = queueMode.sandbox.readState();
		const ownOf = new Map(queue.map(({ queueId, videoId }) => [queueId, videoId]));
		const items = executions.flatMap((execution) => readItems(execution, 'Generate'));
		expect(items).toHaveLength(7);
		expect(items.map(({ json }) => (json.video as { id?: string } | null)?.id)).toEqual(
			items.map(({ json }) => ownOf.get(json.queueId as string)),
		);
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

/** Returns a function that counts the executions that a worker has started. */
function countBegun(ids: Iterable<string>) {
	const wanted = new Set(ids);
	return (worker: N8nWorker): number => worker.listStarted().filter((id) => wanted.has(id)).length;
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
