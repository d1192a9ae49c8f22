import axios from 'axios';
import type { Readable } from 'node:stream';
import { waitFor } from '../../../scripts/waitFor';
import { byId, GENERATE } from '../../support/engine/OPERATIONS';
import { like } from '../../support/like';
import {
	buildCalledWorkflow,
	buildWorkflow,
	CALLED,
	callWorkflow,
	chatModel,
	makeItems,
	START,
	videoGeneration,
	type WorkflowStep,
} from '../../support/e2e/buildWorkflow';
import { WITHOUT_EDITOR } from '../../support/e2e/RealN8n';
import { QUICKLY } from '../../support/e2e/setUpExample';
import { useRealN8n } from '../../support/e2e/useRealN8n';
import { ScriptedModel } from '../workflows/ScriptedModel';

const LANGCHAIN = '@n8n/n8n-nodes-langchain';
const TIMEOUT_MS = 120_000;

/** n8n ends every execution after 20 s, as n8n Cloud does by its plan, and none may take longer than 25 s. */
const environment = {
	...WITHOUT_EDITOR,
	EXECUTIONS_TIMEOUT: '20',
	EXECUTIONS_TIMEOUT_MAX: '25',
};
const real = useRealN8n('limits', { environment });

const model = new ScriptedModel();
beforeAll(async () => {
	await model.start();
});
afterAll(() => {
	model.stop();
});

const PARAMETERS = { ...GENERATE, waitOptions: QUICKLY };
const generate = (parameters: Record<string, unknown> = PARAMETERS) =>
	videoGeneration('Video', real.credential, parameters);
/** A node that takes its time: n8n parks an execution for 65 s or more alone. */
const take = (amount: number): WorkflowStep => ({
	name: 'Wait',
	type: 'n8n-nodes-base.wait',
	typeVersion: 1.1,
	parameters: { amount, unit: 'seconds' },
	settings: { webhookId: 'wait' },
});

async function start(steps: WorkflowStep[], settings = {}): Promise<string> {
	const workflow = await real.client.createWorkflow(
		buildWorkflow('Limits', [START, ...steps], settings),
	);
	return await real.client.runWorkflow(workflow.id, START.name);
}
const waitForEnd = async (id: string) => await real.client.waitForExecution(id, TIMEOUT_MS);

/** What n8n's API shows of an execution beside its data, which it does not save at Stop. */
async function getCustomData(id: string): Promise<Record<string, string>> {
	const path = `/executions/${id}`;
	const shown = await real.client.request<{ customData?: Record<string, string> }>('GET', path);
	return shown.customData ?? {};
}

/** Adds a project whose videos take so long. */
function addProject(id: string, processingMs: number): { project: string } {
	const durations = { pendingMs: 0, renderingMs: 0, processingMs };
	real.sandbox.addProjects('main', [{ id, durations }]);
	return { project: id };
}

/** A workflow that makes the videos of its caller's rows, and the node that calls it. */
async function buildCall(): Promise<{ id: string; call: WorkflowStep }> {
	const { client } = real;
	const called = await client.createWorkflow(buildWorkflow('Called', [CALLED, generate()]));
	await client.activateWorkflow(called);
	return { id: called.id, call: callWorkflow(called.id) };
}

const countPaid = (project: string) =>
	real.sandbox.charges.filter(({ projectId }) => projectId === project).length;

describe('In a real n8n whose executions end after 20 s, nothing is paid that is canceled', () => {
	/** Runs it for a project of which one video is known. @returns its status, and how many videos it paid for */
	async function run(project: string, steps: WorkflowStep[], settings = {}) {
		const row = addProject(project, 8_000);
		await waitForEnd(await start([...makeItems([row], 'First'), generate()]));
		expect(countPaid(project)).toBe(1);
		const ended = await waitForEnd(await start(steps, settings));
		return { ended, paid: countPaid(project) - 1 };
	}
	const OUT_OF_TIME = "The workflow's timeout would end before this video is finished";

	test.each<[string, () => WorkflowStep[] | Promise<WorkflowStep[]>, object]>([
		[
			'a node before it has used the time of its workflow',
			() => [take(8), generate()],
			{ executionTimeout: 15 },
		],
		['n8n ends every execution', () => [take(13), generate()], {}],
		["n8n caps the workflow's timeout", () => [take(18), generate()], { executionTimeout: 3_600 }],
		[
			'it is in a sub-workflow whose parent has little time left',
			async () => [take(13), (await buildCall()).call],
			{},
		],
	])('where %s', async (name, getSteps, settings) => {
		const project = name.replaceAll(' ', '-');
		const steps = [...makeItems([{ project }]), ...(await getSteps())];
		const { ended, paid } = await run(project, steps, settings);
		expect(ended.status).toBe('error');
		expect(JSON.stringify(ended.data.resultData.error)).toContain(OUT_OF_TIME);
		expect(paid).toBe(0);
	});

	test('but one video of a project whose videos never come out in time', async () => {
		const row = addProject('slow', 600_000);
		const begin = async () => await start([...makeItems([row]), generate()]);
		const first = await waitForEnd(await begin());
		expect(first.status).toBe('canceled');
		// What n8n saves of it names the video.
		const [{ queueId } = { queueId: undefined }] = real.sandbox.charges;
		expect(await getCustomData(first.id)).toEqual({ videos_being_made: queueId });
		const second = await waitForEnd(await begin());
		expect(second.status).toBe('error');
		expect(second.data.resultData.error?.message).toBe(OUT_OF_TIME);
		expect(countPaid('slow')).toBe(1);
	});
});

test('In a real n8n, Stop names the video that is being made in a sub-workflow, which is an execution of its own', async () => {
	const { client, sandbox } = real;
	const row = addProject('called', 600_000);
	const { call, id: workflowId } = await buildCall();
	await start([...makeItems([row]), call]);
	await sandbox.waitForRequests({ operation: 'queue.getProgress', count: 1, timeoutMs: 20_000 });
	const filter = encodeURIComponent(JSON.stringify({ workflowId }));
	const { results } = await client.request<{ results: { id: string }[] }>(
		'GET',
		`/executions?filter=${filter}`,
	);
	const [{ id } = { id: '' }] = results;
	await client.request('POST', `/executions/${id}/stop`);
	expect((await waitForEnd(id)).status).toBe('canceled');
	// n8n saves it a moment after the status.
	const named = await waitFor('its custom data', async () => {
		const { videos_being_made } = await getCustomData(id);
		return videos_being_made;
	});
	expect(named).toBe(sandbox.charges[0]?.queueId);
});

/** Publishes an agent that streams, with the node as its tool. */
async function publishAgent(path: string, options: object): Promise<void> {
	const { client } = real;
	const data = { apiKey: 'none', url: model.url };
	const credential = await client.createCredential({ name: path, type: 'openAiApi', data });
	const steps: WorkflowStep[] = [
		{
			name: 'Chat',
			type: `${LANGCHAIN}.chatTrigger`,
			typeVersion: 1.3,
			parameters: { public: true, mode: 'webhook', options: { responseMode: 'streaming' } },
			settings: { webhookId: path },
		},
		{ name: 'Agent', type: `${LANGCHAIN}.agent`, typeVersion: 3, parameters: { options: {} } },
		chatModel(credential, 'Agent'),
		{
			...videoGeneration('Make', real.credential, {
				...PARAMETERS,
				projectId: byId("={{ $fromAI('project', 'the project', 'string') }}"),
				customPrompt: '',
				...options,
			}),
			type: 'n8n-nodes-video-generation.videoGenerationTool',
			serves: { node: 'Agent', as: 'ai_tool' },
		},
	];
	const workflow = await client.createWorkflow(buildWorkflow(path, steps));
	await client.activateWorkflow(workflow);
}

/** Sends a message to a public chat. @returns its answer, and when each part of it arrived */
async function chat(path: string) {
	const url = `${real.client.address}/webhook/${path}/chat`;
	const body = { action: 'sendMessage', sessionId: path, chatInput: 'Go' };
	const { data } = await waitFor(`the chat "${path}"`, async () => {
		const response = await axios.post<Readable>(url, body, {
			proxy: false,
			responseType: 'stream',
			validateStatus: (code) => code === 200 || code === 404,
		});
		return response.status === 200 && response;
	});
	const times: number[] = [];
	let text = '';
	data.on('data', (chunk: Buffer) => {
		times.push(performance.now());
		text += chunk.toString();
	});
	await new Promise<void>((resolve) => data.once('close', resolve));
	return { times, text };
}

describe('In a real n8n, a public chat with an AI Agent that streams', () => {
	test('is not silent while a video is made, and shows the answer of the model alone', async () => {
		addProject('chat', 8_000);
		model.play([[{ tool: 'Make', input: { project: 'chat' } }], 'Here it is']);
		await publishAgent('streams', { waitOptions: { pollingInterval: 2, listingDelay: 1 } });
		const { text, times } = await chat('streams');
		const gaps = times.slice(1).map((time, i) => time - (times[i] ?? 0));
		expect(times.length).toBeGreaterThan(4);
		// Proxies end a response that is silent for a minute; a busy machine may take seconds.
		expect(Math.max(...gaps)).toBeLessThan(30_000);
		const chunks = text
			.split('\n')
			.filter(Boolean)
			.map((line) => JSON.parse(line) as { type: string; content?: string });
		const said = chunks.map(({ type, content = '' }) => (type === 'item' ? content : '')).join('');
		expect(said).toBe('One momentHere it is');
	});
});

test.each([
	['an error that n8n makes of an empty output', 'plain', {}, {}, 500, /No item to return/],
	[
		"an empty row, with 'Always Output Data' on",
		'row',
		{ alwaysOutputData: true },
		{},
		200,
		/^\{}$/,
	],
	['an empty list, of all entries', 'list', {}, { responseData: 'allEntries' }, 200, /^\[]$/],
])(
	'In a real n8n, a webhook that answers with the video of its row answers a row that came out before with %s',
	async (_answer, path, settings, parameters, status, text) => {
		const { client } = real;
		addProject(path, 500);
		const options = { uniqueKey: '={{ $json.body.id }}' };
		const add = generate({ ...PARAMETERS, projectId: byId(path), options });
		const response = { responseMode: 'lastNode', options: {}, ...parameters };
		const workflow = await client.createWorkflow(
			buildCalledWorkflow(path, [{ ...add, settings }], response),
		);
		await client.activateWorkflow(workflow);
		const url = `${client.address}/webhook/${path}`;
		const send = async () =>
			await axios.post<unknown>(url, { id: 1 }, { proxy: false, validateStatus: () => true });
		await waitFor(`the webhook "${path}"`, async () => (await send()).status === 200);
		const { data, status: received } = await send();
		expect([received, JSON.stringify(data)]).toEqual([status, like(text)]);
	},
);
