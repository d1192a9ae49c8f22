import type { Credential } from '../../scripts/n8n/n8nTypes';
import { buildAgent } from '../support/e2e/buildAgent';
import { videoGeneration } from '../support/e2e/buildWorkflow';
import { readItems, runContent } from '../support/e2e/runContent';
import { ScriptedModel, type ModelReply } from '../support/e2e/ScriptedModel';
import { WITHOUT_EDITOR } from '../support/e2e/RealN8n';
import { useRealN8n } from '../support/e2e/useRealN8n';

const PROJECT = 'project-product-teaser';

const real = useRealN8n('agent', { environment: WITHOUT_EDITOR });
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
const TOOLS = {
	'Queue a video': {
		resource: 'queue',
		operation: 'add',
		projectId: {
			__rl: true,
			mode: 'id',
			value: "={{ $fromAI('projectId', 'The ID of the project', 'string') }}",
		},
		customPrompt: "={{ $fromAI('customPrompt', 'What the video is to show', 'string') }}",
	},
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

const queue = (customPrompt: string, projectId = PROJECT) => ({
	tool: 'Queue_a_video',
	input: { projectId, customPrompt },
});
const customPrompts = () => real.sandbox.readState().queue.map(({ customPrompt }) => customPrompt);

/** Runs an agent with our tools and a model that replies with this script. */
async function runAgent(script: ModelReply[]) {
	model.play(script);
	const tools = Object.entries(TOOLS).map(([name, parameters]) =>
		videoGeneration(name, real.credential, parameters),
	);
	return await runContent(real.client, buildAgent(modelCredential, tools));
}

describe("In a real n8n, the AI Agent's model", () => {
	test('is told by each tool what it does, what costs credits and what is for good', async () => {
		await runAgent(['Nothing to do']);
		const told = model.tools.map(({ name, description }) => `${name}: ${description}`);
		expect(told.sort()).toEqual([
			'Clear_a_video: Clear queue item permanently in Video Generation',
			'Get_progress: Get progress of queued video in Video Generation',
			'List_projects: Get many projects in Video Generation',
			'Queue_a_video: Queue video (costs credits) in Video Generation',
		]);
	});

	test('is told which fields are left to it, in the words of the workflow', async () => {
		await runAgent(['Nothing to do']);
		const tool = model.tools.find(({ name }) => name === 'Queue_a_video');
		expect(tool?.parameters).toMatchObject({
			properties: {
				projectId: { type: 'string', description: 'The ID of the project' },
				customPrompt: { type: 'string', description: 'What the video is to show' },
			},
			required: ['projectId', 'customPrompt'],
		});
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
		expect(projects).toContain(PROJECT);
		const state = sandbox.readState();
		const [item] = state.queue;
		expect(state.queue).toHaveLength(1);
		expect(item).toMatchObject({ projectId: PROJECT, customPrompt: 'The sea at dawn' });
		expect(state.accounts.find(({ id }) => id === 'main')?.credits).toBe(99);
		expect(JSON.parse(added)).toMatchObject([{ queueId: item?.queueId, status: 'pending' }]);
		expect(JSON.parse(progress)).toMatchObject([{ queueId: item?.queueId }]);
		expect(readItems(execution, 'Agent')).toMatchObject([{ json: { output: 'Done' } }]);
	});

	test('gets two videos for two calls in one reply, and one more for the same call again', async () => {
		await runAgent([[queue('a'), queue('b')], [queue('b')], 'Done']);
		// n8n 1 makes the calls of one reply in another order.
		expect(customPrompts().sort()).toEqual(['a', 'b', 'b']);
		const { queue: queued } = real.sandbox.readState();
		const prompts = model.toolResults.map((result) => {
			const [{ queueId }] = JSON.parse(result) as [{ queueId: string }];
			return queued.find((item) => item.queueId === queueId)?.customPrompt;
		});
		expect(prompts).toEqual(['a', 'b', 'b']);
	});

	test('is warned that a video whose answer was lost may be paid for', async () => {
		real.sandbox.addFault({ kind: 'reset', phase: 'after', operation: 'queue.add' });
		await runAgent([[queue('a')], 'Sorry']);
		expect(model.toolResults[0]).toMatch(
			/may have been queued and paid for, so the request is not sent again/,
		);
		expect(customPrompts()).toEqual(['a']);
	});
});
