import type { Credential, Execution } from '../../scripts/n8n/n8nTypes';
import type { RecordedRequest } from '../../sandbox/control/requestLog';
import type { SettingsChange } from '../../sandbox/domain/settings';
import { readVideoFile } from '../../sandbox/files/readVideoFile';
import type { Sandbox } from '../../sandbox/Sandbox';
import { startSandbox } from '../../sandbox/startSandbox';
import { buildAgent } from '../support/e2e/buildAgent';
import {
	buildWorkflow,
	makeItems,
	START,
	videoGeneration,
	type WorkflowStep,
} from '../support/e2e/buildWorkflow';
import { readItems, runContent } from '../support/e2e/runContent';
import { byId, GENERATE, OPERATIONS } from '../support/engine/OPERATIONS';
import { unfoldError } from '../support/engine/unfoldError';
import { WITHOUT_CODE } from '../support/e2e/RealN8n';
import { ScriptedModel, type ModelReply } from '../support/e2e/ScriptedModel';
import { useRealN8n } from '../support/e2e/useRealN8n';

const real = useRealN8n('operations', { environment: WITHOUT_CODE });
const QUICK = { pendingMs: 300, processingMs: 300, renderingMs: 300 };
const TEASER = 'project-product-teaser';
const TOUR = 'project-city-tour';
const ADD = {
	...OPERATIONS['queue.add'],
	projectId: byId('={{ $json.project }}'),
	customPrompt: '={{ $json.prompt }}',
};
const video = (name: string, parameters: object, settings = {}) =>
	videoGeneration(name, real.credential, { ...parameters }, settings);

/** Reads the source of each of its items, as a user's expression does. */
const LOOK_BACK: WorkflowStep = {
	name: 'Look back',
	type: 'n8n-nodes-base.set',
	typeVersion: 3.4,
	parameters: {
		assignments: {
			assignments: [
				{ id: '1', name: 'prompt', type: 'string', value: "={{ $('Items').item.json.prompt }}" },
			],
		},
	},
};

async function run(items: object[], ...steps: WorkflowStep[]): Promise<Execution> {
	return await runContent(
		real.client,
		buildWorkflow('Operations', [START, ...makeItems(items), ...steps, LOOK_BACK]),
	);
}

const readJson = (execution: Execution, node: string) =>
	readItems(execution, node).map(({ json }) => json);

/** Returns the remaining queue as the service shows it. */
const listQueue = () =>
	real.sandbox
		.readState()
		.queue.map(({ queueId, projectId, customPrompt }) => ({ queueId, projectId, customPrompt }));

describe('In a real n8n', () => {
	/** Finishes a queue item at its third progress check: the first is Get Progress, the second Wait's first. */
	const finishAfterWaitHasSeenIt = ({ operation, url }: RecordedRequest) => {
		if (operation !== 'queue.getProgress') return;
		const checks = real.sandbox.requests.filter((request) => request.url === url);
		if (checks.length === 3) real.sandbox.finish(url.split('/').at(-1) ?? '');
	};

	test('progress, wait, download and clear take queued videos to their end', async () => {
		const { client, sandbox } = real;
		sandbox.configure({ durations: { pendingMs: 3_600_000 } });
		const stopListening = sandbox.onRequest(finishAfterWaitHasSeenIt);
		const queueId = "={{ $('Add').item.json.queueId }}";
		const execution = await run(
			[
				{ project: TEASER, prompt: 'a' },
				{ project: TOUR, prompt: 'b' },
			],
			video('Add', ADD),
			video('Progress', { resource: 'queue', operation: 'getProgress', queueId }),
			video('Wait', {
				...{ resource: 'queue', operation: 'wait', queueId },
				projectId: byId("={{ $('Add').item.json.projectId }}"),
				...{ waitOptions: { pollingInterval: 1 }, downloadVideo: false },
			}),
			video('Download', {
				...{ resource: 'video', operation: 'download', videoUrl: '={{ $json.videoUrl }}' },
				options: { fileName: "={{ $('Items').item.json.prompt }}" },
			}),
			video('Clear', { resource: 'queue', operation: 'clear', queueId }),
		);
		stopListening();
		expect(execution.status).toBe('success');

		const added = readJson(execution, 'Add');
		expect(readJson(execution, 'Progress')).toEqual(
			added.map((item) => ({
				queueId: item.queueId,
				status: expect.stringMatching(/pending|processing|rendering/) as string,
				generationProgress: expect.any(Number) as number,
				renderProgress: expect.any(Number) as number,
			})),
		);
		const made = sandbox.readState().videos.map(({ projectId }) => projectId);
		expect(made.filter((projectId) => [TEASER, TOUR].includes(projectId))).toHaveLength(2);
		expect(readJson(execution, 'Wait')).toMatchObject(
			added.map((item) => ({
				queueId: item.queueId,
				projectId: item.projectId,
				status: 'completed',
				renderProgress: 100,
				video: { projectId: item.projectId },
				videoUrl: expect.stringContaining(`${sandbox.url}/files/`) as string,
			})),
		);
		const files = readItems(execution, 'Download').map(({ binary }) => binary?.data);
		expect(files).toMatchObject([{ fileName: 'a.mp4' }, { fileName: 'b.mp4' }]);
		for (const [index, picture] of (['product-teaser', 'city-tour'] as const).entries()) {
			const file = files[index];
			expect(file && (await client.readBinary(file)).equals(readVideoFile(picture))).toBe(true);
		}
		expect(readJson(execution, 'Clear')).toEqual(
			added.map((item) => ({ queueId: item.queueId, deleted: true })),
		);
		expect(listQueue()).toEqual([]);
		expect(readJson(execution, LOOK_BACK.name)).toEqual([{ prompt: 'a' }, { prompt: 'b' }]);
	});

	test('a failed item goes to the error output with what it was and its queue ID, the others go on', async () => {
		real.sandbox.configure({ durations: QUICK });
		const generate = video(
			'Generate',
			{ ...GENERATE, waitOptions: { pollingInterval: 1 } },
			{ onError: 'continueErrorOutput' },
		);
		const repair = { name: 'Repair', type: 'n8n-nodes-base.noOp' };
		const items = [
			{ project: TEASER, prompt: 'good' },
			{ project: 'project-broken-storyboard', prompt: 'fails' },
			{ project: 'nowhere', prompt: 'unknown' },
		];
		const content = buildWorkflow(
			'Error output',
			[START, ...makeItems(items), generate, LOOK_BACK, repair],
			{ onError: { Repair: 'Generate' } },
		);
		const execution = await runContent(real.client, content);
		const failing = listQueue().find(({ customPrompt }) => customPrompt === 'fails');
		expect(readJson(execution, LOOK_BACK.name)).toEqual([{ prompt: 'good' }]);
		expect(readJson(execution, 'Repair').map((json) => unfoldError(json))).toEqual([
			{
				...items[1],
				error: 'The video could not be generated',
				message: expect.stringContaining('Correct the project or the prompt') as string,
				details: expect.objectContaining({
					queueId: failing?.queueId,
					lastStatus: 'failed',
				}) as object,
			},
			{
				...items[2],
				error: expect.stringMatching(/^The video service rejected the request \(400\)/) as string,
				message: expect.stringContaining(
					"Check 'Project' and 'Custom Prompt' of this item.",
				) as string,
				details: expect.objectContaining({ httpCode: '400', projectId: 'nowhere' }) as object,
			},
		]);
	});
});

describe('In a real n8n, an execution that waits', () => {
	const waiting = (pollingInterval: number) =>
		video('Generate', { ...GENERATE, waitOptions: { pollingInterval } });
	const start = async (steps: WorkflowStep[], settings = {}) => {
		const { client } = real;
		const content = buildWorkflow('Wait', [START, ...steps], { settings });
		const { id } = await client.createWorkflow(content);
		return await client.runWorkflow(id, START.name);
	};
	// Executions of one project would take turns.
	const item = (project: string) => makeItems([{ project }]);

	test('ends at once when it is stopped or its own timeout is over, and sends nothing more', async () => {
		const { client, sandbox } = real;
		sandbox.configure({ durations: { processingMs: 600_000 } });
		const timedOut = await start([...item('project-launch-film'), waiting(1)], {
			executionTimeout: 4,
		});
		// The second one would not look again before the limit below has passed.
		const stopped = [
			await start([...item(TEASER), waiting(1)]),
			await start([...item(TOUR), waiting(60)]),
		];
		await sandbox.waitForRequests({ operation: 'queue.add', count: 3, timeoutMs: 60_000 });
		await sandbox.waitForRequests({ operation: 'queue.getProgress', count: 4, timeoutMs: 60_000 });
		await Promise.all(
			stopped.map(async (id) => {
				await client.stopExecution(id);
			}),
		);
		for (const id of stopped) {
			expect((await client.waitForExecution(id, 50_000)).status).toBe('canceled');
		}
		expect((await client.waitForExecution(timedOut, 60_000)).status).toBe('canceled');

		const before = sandbox.requests.length;
		// The requests to n8n show that it still runs; another check would have been sent within a
		// second.
		const end = Date.now() + 2_500;
		while (Date.now() < end) await client.getExecution(timedOut);
		expect(sandbox.requests).toHaveLength(before);
	});
});

describe("In a real n8n, the AI Agent's model", () => {
	const model = new ScriptedModel();
	let modelCredential: Credential;

	beforeAll(async () => {
		await model.start();
		modelCredential = await real.client.createCredential({
			name: 'Scripted model',
			type: 'openAiApi',
			data: { apiKey: 'none', url: model.url },
		});
	});
	afterAll(async () => {
		await model.stop();
	});

	/** The tools as set up by a user who lets the model fill in some of the fields. */
	const FROM_MODEL = {
		projectId: byId("={{ $fromAI('projectId', 'The ID of the project', 'string') }}"),
		customPrompt: "={{ $fromAI('customPrompt', 'What the video is to show', 'string') }}",
	};
	const TOOLS = {
		'Generate a video': { ...GENERATE, ...FROM_MODEL },
		'Queue a video': { ...OPERATIONS['queue.add'], ...FROM_MODEL },
		'Get progress': {
			resource: 'queue',
			operation: 'getProgress',
			queueId: "={{ $fromAI('queueId', 'The queueId of the video', 'string') }}",
		},
		'Clear a video': {
			resource: 'queue',
			operation: 'clear',
			queueId: "={{ $fromAI('queueId', 'The queueId of the video', 'string') }}",
		},
		'List projects': { resource: 'project', operation: 'getAll', returnAll: true },
	};

	const queue = (customPrompt: string, projectId = TEASER) => ({
		tool: 'Queue_a_video',
		input: { projectId, customPrompt },
	});

	/** Runs an agent with our tools and a model that replies with this script. */
	async function runAgent(script: ModelReply[], version = 3, settings = { executionOrder: 'v1' }) {
		model.play(script);
		const tools = Object.entries(TOOLS).map(([name, parameters]) =>
			videoGeneration(name, real.credential, parameters),
		);
		const content = buildAgent(modelCredential, tools, version);
		return await runContent(real.client, { ...content, settings });
	}

	test('is told by each tool what it does, what costs credits and what is for good', async () => {
		await runAgent(['Nothing to do']);
		const told = model.tools.map(({ name, description }) => `${name}: ${description}`);
		expect(told.sort()).toEqual([
			'Clear_a_video: Delete queue item permanently in Video Generation',
			'Generate_a_video: Generate video (costs credits) in Video Generation',
			'Get_progress: Get progress of queued video in Video Generation',
			'List_projects: Get many projects in Video Generation',
			'Queue_a_video: Queue video without waiting (costs credits) in Video Generation',
		]);
	});

	test('finds a project, queues a video of it for one credit and reads its progress', async () => {
		const { sandbox } = real;
		const execution = await runAgent([
			[{ tool: 'List_projects', input: {} }],
			[queue('The sea at dawn')],
			() => [{ tool: 'Get_progress', input: { queueId: sandbox.readState().queue[0]?.queueId } }],
			'Done',
		]);
		const [projects = '', added = '', progress = ''] = model.toolResults;
		expect(JSON.parse(projects)).toHaveLength(4);
		expect(projects).toContain(TEASER);
		const state = sandbox.readState();
		const [item] = state.queue;
		expect(state.queue).toHaveLength(1);
		expect(item).toMatchObject({ projectId: TEASER, customPrompt: 'The sea at dawn' });
		expect(state.accounts.find(({ id }) => id === 'main')?.credits).toBe(99);
		expect(JSON.parse(added)).toMatchObject([{ queueId: item?.queueId, status: 'pending' }]);
		expect(JSON.parse(progress)).toMatchObject([{ queueId: item?.queueId }]);
		expect(readItems(execution, 'Agent')).toMatchObject([{ json: { output: 'Done' } }]);
	});

	test.each([1.7, 2, 2.2, 3])(
		'of version %s reads why a tool has failed, and that a video must not be ordered again',
		async (version) => {
			const { sandbox } = real;
			const isOf = (containing: string) => ({ operation: 'queue.add' as const, containing });
			sandbox.addFault({ kind: 'status', status: 403, ...isOf('forbidden') });
			sandbox.addFault({ kind: 'status', status: 504, phase: 'after', ...isOf('lost') });
			await runAgent(
				[[queue('forbidden')], [queue('lost')], [queue('lost')], [queue('A sea')], 'Done'],
				version,
			);
			const [refused, lost, again, added] = model.toolResults;
			expect(refused).toContain('does not allow this');
			expect(lost).toMatch(/may have been queued and paid for.*Do not order it again/s);
			expect(again).toMatch(/may have been queued and paid for.*Do not order it again/s);
			const prompts = sandbox.charges.map(({ customPrompt }) => customPrompt);
			expect(prompts).toEqual(['lost', 'A sea']);
			expect(added).toContain(sandbox.charges[1]?.queueId);
		},
	);

	test('is told nothing without an execution order, so that nothing is paid there', async () => {
		const { sandbox } = real;
		const execution = await runAgent([[queue('A sea')], 'Done'], 3, { executionOrder: 'v0' });
		expect(model.toolResults).toEqual(['""']);
		expect(sandbox.charges).toEqual([]);
		expect(JSON.stringify(execution.data)).toContain('old execution order');
	});
});

const lasting = (seconds: number, logDelayMs = 0) => ({
	durations: { pendingMs: 0, processingMs: seconds * 1_000, renderingMs: 0, logDelayMs },
});

/** What a service may do to a batch. */
const SERVICES: Record<string, SettingsChange> = {
	'makes videos side by side': lasting(5),
	'makes them one after the other': { ...lasting(5), maxAtOnce: 1 },
	'makes three at a time': { ...lasting(8), maxAtOnce: 3 },
	'lists them up to 8 s late': lasting(5, 8_000),
	'lists them 2 s before their progress says so': lasting(7, -2_000),
	'signs their addresses anew in each list': { ...lasting(5), signedUrls: true },
	'names queue IDs in its list': { ...lasting(8), entriesNameQueueId: 'address' },
};

describe('Five rows of one project with the default options, in a real n8n', () => {
	const sandboxes = new Map<string, Sandbox>();
	const executions = new Map<string, Promise<Awaited<ReturnType<typeof runBatch>>>>();
	const rows = [1, 2, 3, 4, 5].map((row) => ({ row }));

	async function runBatch(name: string, settings: SettingsChange) {
		const sandbox = await startSandbox({ clock: 'real' });
		sandboxes.set(name, sandbox);
		sandbox.configure(settings);
		const { client } = real;
		const credential = await client.createCredential({
			...{ name, type: 'videoGenerationApi' },
			data: { apiKey: sandbox.apiKey, baseUrl: sandbox.url },
		});
		const generate = videoGeneration('Generate', credential, {
			...{ resource: 'video', operation: 'generate', projectId: byId(TEASER) },
		});
		const { id } = await client.createWorkflow(
			buildWorkflow(name, [START, ...makeItems(rows, 'Rows'), generate]),
		);
		return await client.waitForExecution(await client.runWorkflow(id, START.name), 300_000);
	}

	beforeAll(() => {
		for (const [name, settings] of Object.entries(SERVICES)) {
			executions.set(name, runBatch(name, settings));
		}
	});

	afterAll(async () => {
		for (const sandbox of sandboxes.values()) await sandbox.close();
	});

	test.each(Object.keys(SERVICES))(
		'give each row the file of its own video, where a service %s',
		async (name) => {
			const execution = await executions.get(name);
			expect(execution?.status).toBe('success');
			const items = execution ? readItems(execution, 'Generate') : [];
			expect(items.map(({ json }) => (json.video as { id?: string } | null)?.id)).toEqual(
				sandboxes.get(name)?.charges.map(({ videoId }) => videoId),
			);
			expect(items.map(({ binary }) => binary?.data?.mimeType)).toEqual(
				rows.map(() => 'video/mp4'),
			);
		},
	);
});
