import axios from 'axios';
import type { Project } from '../../sandbox/domain/Project';
import type { Sandbox } from '../../sandbox/Sandbox';
import { startSandbox } from '../../sandbox/startSandbox';
import type { Credential, Execution, ExecutionItem, Workflow } from '../../scripts/n8n/n8nTypes';
import { buildWorkflow, videoGeneration, type WorkflowStep } from '../support/e2e/buildWorkflow';
import { describeWith } from '../support/e2e/describeWith';
import type { N8nWorker } from '../support/e2e/N8nWorker';
import { PACKAGE } from '../support/e2e/PLACES';
import { QueueModeN8n } from '../support/e2e/QueueModeN8n';
import { readPeakMemory } from '../support/e2e/readPeakMemory';
import { readQueuedVideos } from '../support/e2e/readQueuedVideos';
import { waitFor } from '../support/e2e/waitFor';

const EXECUTIONS = 200;
/** Of one worker. */
const CONCURRENCY = 25;
/** The place, among the projects, of the add that is in the air when its worker is killed. */
const IN_THE_AIR = EXECUTIONS / 2;

/** Webhooks. */
const ADD = 'queue-and-wait';
const DOWNLOAD = 'download';

const SHORT = { pendingMs: 500, processingMs: 1_000, renderingMs: 500 };
/** Longer than the test: such a video is finished by hand. */
const ENDLESS = { pendingMs: 500, processingMs: 3_600_000 };

/** n8n polls every minute. */
const NEXT_POLL_MS = 100_000;
const EXECUTION_MS = 150_000;

describeWith(['redis-server', 'postgres'], "In n8n's queue mode, with two workers", () => {
	const n8n = new QueueModeN8n('queue-mode', CONCURRENCY);
	let sandbox: Sandbox;
	let credential: Credential;
	let reactions: Workflow;

	beforeAll(async () => {
		sandbox = await startSandbox({ rateLimit: false, clock: 'real', credits: 1_000 });
		await n8n.start();
		const { client } = n8n.main;
		credential = await client.saveCredential({
			name: 'Sandbox',
			type: 'videoGenerationApi',
			data: { apiKey: sandbox.apiKey, baseUrl: sandbox.url },
		});
		reactions = await client.createWorkflow(buildReactions(credential));
		for (const workflow of [buildAdds(credential), buildDownloads(credential)]) {
			await client.activateWorkflow(await client.createWorkflow(workflow));
		}
		await client.activateWorkflow(reactions);
		await sandbox.waitForRequests({ count: 1, operation: 'video.getAll', timeoutMs: NEXT_POLL_MS });
	});

	afterAll(async () => {
		await n8n.stop();
		await sandbox.close();
	});

	/** Starts an execution by its webhook. @returns its id */
	const startExecution = async (path: string, body: object): Promise<string> => {
		const address = `${n8n.main.client.address}/webhook/${path}`;
		const { data } = await axios.post<unknown>(address, body, { proxy: false });
		return String(data);
	};
	/** Starts one execution for each project. @returns their ids, by project */
	const startAdds = async (projects: Project[]): Promise<Map<string, string>> => {
		const started = new Map<string, string>();
		for (const { id } of projects) started.set(id, await startExecution(ADD, { projectId: id }));
		return started;
	};
	const waitForExecutions = async (started: Map<string, string>): Promise<Execution[]> => {
		const executions: Execution[] = [];
		for (const id of started.values()) {
			executions.push(await n8n.main.client.waitForExecution(id, EXECUTION_MS));
		}
		return executions;
	};
	const count = (operation: string) =>
		sandbox.requests.filter((request) => request.operation === operation).length;
	const listHandedOn = async () =>
		(await n8n.main.listExecutions(reactions.id))
			.flatMap((execution) => readItems(execution, 'When a video is finished'))
			.map(({ json }) => json.id);
	const listVideos = async () => {
		const { data } = await axios.get<{ videos: { id: string; url: string; projectId: string }[] }>(
			`${sandbox.url}/v1/videos`,
			{ headers: { Authorization: `Bearer ${sandbox.apiKey}` }, proxy: false },
		);
		return data.videos;
	};

	test('no video is paid twice and none is lost when a worker is killed', async () => {
		const projects = sandbox.addProjects(
			'main',
			Array.from({ length: EXECUTIONS }, (_, index) => ({
				durations: index < IN_THE_AIR ? SHORT : ENDLESS,
			})),
		);
		const inTheAir = projects[IN_THE_AIR]?.id ?? '';
		sandbox.addFault({
			kind: 'latency',
			phase: 'after',
			delayMs: 3_600_000,
			operation: 'queue.add',
			containing: inTheAir,
		});
		const beganAt = Date.now();
		const started = await startAdds(projects);

		// Every place of both workers is taken by a video without an end: nothing moves any more.
		const accepted = IN_THE_AIR + 2 * CONCURRENCY;
		const listLogged = () =>
			n8n.workers.flatMap((worker) => [...readQueuedVideos(worker.readLog()).keys()]);
		await waitFor('all places to be taken', () => listLogged().length === accepted - 1);
		expect(sandbox.readState().queue).toHaveLength(accepted);

		const victim = findWorker(n8n.workers, started.get(inTheAir));
		const killed = victim.listStarted().slice(-CONCURRENCY);
		const memory = [n8n.main, ...n8n.workers].map(({ pid }) => readPeakMemory(pid));
		victim.kill();
		await victim.waitForEnd();
		const killedAt = Date.now();
		for (const { id } of projects) sandbox.changeProject(id, { durations: SHORT });
		for (const { queueId, status } of sandbox.readState().queue) {
			if (status !== 'completed') sandbox.finish(queueId);
		}
		// As whatever runs the workers does.
		await victim.start();
		const executions = await waitForExecutions(started);
		const endedAt = Date.now();

		// One add for each project was sent, accepted and paid, and one video made.
		const { queue, accounts } = sandbox.readState();
		const itemOf = new Map(queue.map((item) => [item.projectId, item]));
		expect(queue).toHaveLength(EXECUTIONS);
		expect(itemOf.size).toBe(EXECUTIONS);
		expect(count('queue.add')).toBe(EXECUTIONS);
		expect(accounts.find(({ id }) => id === 'main')?.credits).toBe(1_000 - EXECUTIONS);
		expect((await listVideos()).map(({ projectId }) => projectId).sort()).toEqual(
			[...started.keys()].sort(),
		);

		// What the killed worker was at has failed, and nothing else has.
		const failed = executions.filter(({ status }) => status !== 'success');
		expect(failed.map(({ id }) => id).sort()).toEqual([...killed].sort());
		expect(failed.filter(({ status }) => !['error', 'crashed'].includes(status))).toEqual([]);

		// The others have given the video of their project.
		const projectOf = new Map([...started].map(([projectId, id]) => [id, projectId]));
		for (const execution of executions.filter(({ status }) => status === 'success')) {
			const item = itemOf.get(projectOf.get(execution.id) ?? '');
			expect(readItems(execution, 'Queue and wait').map(({ json }) => json)).toEqual([
				expect.objectContaining({
					queueId: item?.queueId,
					projectId: item?.projectId,
					video: expect.objectContaining({ id: item?.videoId }) as unknown,
				}),
			]);
		}

		// The log of the killed worker names the queue item of each, but of the one whose answer never came.
		const logged = readQueuedVideos(victim.readLog());
		for (const { id } of failed) {
			const projectId = projectOf.get(id) ?? '';
			const named = { queueId: itemOf.get(projectId)?.queueId, projectId };
			expect(logged.get(id)).toEqual(projectId === inTheAir ? undefined : named);
		}

		// To retry such an execution pays nothing either: n8n has kept no data to begin with.
		const [first] = failed;
		await n8n.main.client.request('POST', `/executions/${first?.id}/retry`, {});
		expect(count('queue.add')).toBe(EXECUTIONS);

		report({
			executions: EXECUTIONS,
			'places of a worker': CONCURRENCY,
			'all ended after, s': seconds(endedAt - beganAt),
			'killed after, s': seconds(killedAt - beganAt),
			'ended as error': failed.length,
			'run by worker 1, worker 2': n8n.workers
				.map((worker) => worker.listStarted().length)
				.join(', '),
			'adds sent': count('queue.add'),
			'looks at the progress': count('queue.getProgress'),
			'reads of the video log': count('video.getAll'),
			'peak memory of main, worker 1, worker 2, MiB': memory.join(', '),
		});
	});

	test('a worker that is asked to end waits for its videos first', async () => {
		const [stopped] = n8n.workers;
		const projects = sandbox.addProjects(
			'main',
			Array.from({ length: 10 }, () => ({ durations: ENDLESS })),
		);
		const started = await startAdds(projects);
		const listOwn = () => {
			const begun = new Set(stopped.listStarted());
			return [...started.values()].filter((id) => begun.has(id));
		};
		await waitFor('the videos to be queued', () =>
			projects.every(({ id }) => findItem(sandbox, id) !== undefined),
		);
		expect(listOwn().length).toBeGreaterThan(0);

		const ended = stopped.stop();
		await waitFor('the worker to say what it waits for', () =>
			stopped.readLog().includes('active executions to finish'),
		);
		for (const { id } of projects) sandbox.finish(findItem(sandbox, id)?.queueId ?? '');
		await ended;
		expect(
			listOwn().filter((id) => !stopped.readLog().includes(`finished execution ${id} `)),
		).toEqual([]);
		const executions = await waitForExecutions(started);
		expect(executions.map(({ status }) => status)).toEqual(projects.map(() => 'success'));
		await stopped.start();
	});

	test('a file that a worker has downloaded can be read from main', async () => {
		const [video] = await listVideos();
		const id = await startExecution(DOWNLOAD, { videoUrl: video?.url });
		const execution = await n8n.main.client.waitForExecution(id, EXECUTION_MS);
		const [item] = readItems(execution, 'Download');
		const file = item?.binary?.data;
		if (!file) throw new Error('There is no file');
		expect(file).toMatchObject({
			mimeType: 'video/mp4',
			id: expect.stringMatching(/^database:/) as unknown,
		});
		const { data } = await axios.get<Buffer>(video?.url ?? '', {
			responseType: 'arraybuffer',
			proxy: false,
		});
		expect((await n8n.main.client.readBinary(file)).equals(Buffer.from(data))).toBe(true);
	});

	test('the trigger hands on each video once, also over a restart of main', async () => {
		const projects = sandbox.addProjects(
			'main',
			Array.from({ length: 10 }, () => ({ durations: ENDLESS })),
		);
		const started = await startAdds(projects);
		await waitFor('the videos to be queued', () =>
			projects.every(({ id }) => findItem(sandbox, id) !== undefined),
		);
		await n8n.main.stop();
		// Finished while nobody polls; the workers wait on all the while.
		for (const { id } of projects) sandbox.finish(findItem(sandbox, id)?.queueId ?? '');
		await n8n.main.start();
		const executions = await waitForExecutions(started);
		expect(executions.map(({ status }) => status)).toEqual(projects.map(() => 'success'));

		const videoIds = (await listVideos()).map(({ id }) => id).sort();
		expect(videoIds.length).toBeGreaterThanOrEqual(EXECUTIONS);
		await waitFor(
			'the trigger to hand them on',
			async () => (await listHandedOn()).length >= videoIds.length,
			NEXT_POLL_MS,
		);
		const polls = count('video.getAll');
		await waitFor('the poll after', () => count('video.getAll') > polls, NEXT_POLL_MS);
		expect((await listHandedOn()).sort()).toEqual(videoIds);
	});
});

/** A workflow that is started from outside, and answers with the execution's id. */
function buildCalled(path: string, name: string, step: WorkflowStep) {
	const webhook: WorkflowStep = {
		name: 'Webhook',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		parameters: {
			httpMethod: 'POST',
			path,
			responseMode: 'onReceived',
			options: { responseData: '={{ $execution.id }}' },
		},
		settings: { webhookId: path },
	};
	return buildWorkflow(name, [webhook, step]);
}

function buildAdds(credential: Credential) {
	const add = videoGeneration('Queue and wait', credential, {
		resource: 'queue',
		operation: 'add',
		projectId: { __rl: true, mode: 'id', value: '={{ $json.body.projectId }}' },
		waitForCompletion: true,
		waitOptions: { pollingInterval: 1 },
		options: {},
	});
	return buildCalled(ADD, 'Queue and wait', add);
}

function buildDownloads(credential: Credential) {
	const download = videoGeneration('Download', credential, {
		resource: 'video',
		operation: 'download',
		videoUrl: '={{ $json.body.videoUrl }}',
		binaryPropertyName: 'data',
		options: {},
	});
	return buildCalled(DOWNLOAD, 'Download', download);
}

function buildReactions({ id, name }: Credential) {
	const trigger: WorkflowStep = {
		name: 'When a video is finished',
		type: `${PACKAGE}.videoGenerationTrigger`,
		parameters: { pollTimes: { item: [{ mode: 'everyMinute' }] } },
		credentials: { videoGenerationApi: { id, name } },
	};
	return buildWorkflow('React', [trigger, { name: 'Next', type: 'n8n-nodes-base.noOp' }]);
}

function findItem(sandbox: Sandbox, projectId: string) {
	return sandbox.readState().queue.find((item) => item.projectId === projectId);
}

function readItems({ data }: Execution, node: string): ExecutionItem[] {
	return data.resultData.runData?.[node]?.[0]?.data?.main?.[0] ?? [];
}

function findWorker(workers: N8nWorker[], executionId: string | undefined): N8nWorker {
	const worker = workers.find((each) => each.listStarted().includes(executionId ?? ''));
	if (!worker) throw new Error(`No worker has begun execution ${executionId}`);
	return worker;
}

function seconds(ms: number): string {
	return (ms / 1_000).toFixed(1);
}

/** For docs/scaling.md. */
function report(figures: Record<string, string | number>): void {
	const lines = Object.entries(figures).map(([name, figure]) => `  ${name.padEnd(46)}${figure}\n`);
	process.stdout.write(`\nQueue mode\n${lines.join('')}\n`);
}
