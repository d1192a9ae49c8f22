import { randomUUID } from 'node:crypto';
import type { WorkflowContent } from '../../../scripts/n8n/n8nTypes';
import { waitFor } from '../../../scripts/waitFor';
import {
	buildWorkflow,
	chatModel,
	START,
	videoGeneration,
	type WorkflowStep,
} from '../../support/e2e/buildWorkflow';
import { QUICKLY } from '../../support/e2e/setUpExample';
import { byId, GENERATE, OPERATIONS, PROJECT } from '../../support/engine/OPERATIONS';
import { connectMcp, type McpClient } from './connectMcp';
import { chat, real } from './n8n';
import type { ToolCall } from './ScriptedModel';

const { model } = chat;
const OTHER = 'project-of-orders';
/** At the same time. Each is an execution of n8n's own; promises/tool.test.ts sends hundreds. */
const ORDERS = 20;
const LANGCHAIN = '@n8n/n8n-nodes-langchain';

/** The tools as set up by a user who lets the model fill in some of the fields. */
const FROM_MODEL = {
	projectId: byId("={{ $fromAI('projectId', 'The ID of the project', 'string') }}"),
	customPrompt: "={{ $fromAI('customPrompt', 'What the video is to show', 'string') }}",
};
/** The file is wanted, as it is by default. */
const MAKE = { ...GENERATE, ...FROM_MODEL, downloadVideo: true };
const ADD = { ...OPERATIONS['queue.add'], ...FROM_MODEL };
const TOOLS = {
	'Generate a video': { ...MAKE, waitOptions: QUICKLY },
	'Queue a video': ADD,
	// Of a project of its own: nobody waits for what it queues.
	'Queue three videos': { ...ADD, projectId: byId(OTHER), options: { maxVideos: 3 } },
	'Clear a video': { ...OPERATIONS['queue.clear'], queueId: "={{ $fromAI('queueId') }}" },
};

const buildTools = () =>
	Object.entries(TOOLS).map(([name, parameters]) =>
		videoGeneration(name, real.credential, parameters),
	);

/** Makes the tools of an agent or a trigger of them. */
const attachTools = (node: string) =>
	buildTools().map((tool) => ({
		...tool,
		type: `${tool.type}Tool`,
		serves: { node, as: 'ai_tool' } as const,
	}));

/** Builds a workflow with an AI Agent of n8n, a chat model, and the tools. */
function buildAgent(typeVersion: number): WorkflowContent {
	const agent = {
		name: 'Agent',
		type: `${LANGCHAIN}.agent`,
		typeVersion,
		parameters: { promptType: 'define', text: 'Make a video of the sea' },
	};
	const ofAgent = [chatModel(chat.credential, agent.name), ...attachTools(agent.name)];
	return buildWorkflow('Agent', [START, agent, ...ofAgent]);
}

/** Builds a workflow that offers the tools to MCP clients. */
function buildMcpServer(): WorkflowContent {
	const trigger = {
		name: 'MCP server',
		type: `${LANGCHAIN}.mcpTrigger`,
		typeVersion: 2.1,
		parameters: { path: 'tools' },
		settings: { webhookId: 'tools' },
	};
	return buildWorkflow('MCP server', [trigger, ...attachTools(trigger.name)]);
}

/** Describes one of n8n's Agents, with the chat model and the tools. */
const buildConfig = () => ({
	name: 'Agent',
	model: 'openai/scripted',
	credential: chat.credential.id,
	instructions: 'Make videos',
	tools: buildTools().map(({ credentials, name, parameters, type }) => ({
		type: 'node',
		name,
		node: { nodeType: type, nodeTypeVersion: 1, nodeParameters: parameters, credentials },
	})),
});

/** Calls a tool. */
const call = (name: keyof typeof TOOLS, customPrompt: string): ToolCall => ({
	tool: name.replaceAll(' ', '_'),
	input: { projectId: PROJECT, customPrompt },
});

/** Has a model make calls: the groups one after the other, those of a group at once. @returns what it reads for each */
type CallTools = (groups: ToolCall[][]) => Promise<string[]>;

/** Runs something that has the model play its part. */
async function converse(groups: ToolCall[][], run: () => Promise<unknown>): Promise<string[]> {
	model.play(groups);
	await run();
	return model.toolResults;
}

const callByAgent =
	(version: number): CallTools =>
	async (groups) =>
		await converse(groups, async () => await real.n8n.run(buildAgent(version)));

let agents: string;
let mcp: McpClient;

const WAYS: Record<string, CallTools> = {
	'AI Agent 1.7': callByAgent(1.7),
	'AI Agent 2.2': callByAgent(2.2),
	'AI Agent 3': callByAgent(3),
	Agents: async (groups) =>
		await converse(groups, async () =>
			real.client.request('POST', `${agents}/chat`, { message: 'Go' }),
		),
	'Message an Agent': async (groups) => {
		const message: WorkflowStep = {
			name: 'Message',
			type: 'n8n-nodes-base.messageAnAgent',
			typeVersion: 2,
			parameters: {
				agentSource: 'inline',
				inlineAgent: { config: buildConfig() },
				message: 'Go',
			},
		};
		const content = buildWorkflow('Message', [START, message]);
		return await converse(groups, async () => await real.n8n.run(content));
	},
	'MCP Server Trigger': async (groups) => {
		const answers: string[] = [];
		for (const group of groups) {
			const told = group.map(async ({ tool, input }) => mcp.call(tool, input));
			answers.push(...(await Promise.all(told)));
		}
		return answers;
	},
};

beforeAll(async () => {
	const { client } = real;
	const { id: projectId } = await client.request<{ id: string }>('GET', '/projects/personal');
	const path = `/projects/${projectId}/agents/v2`;
	const schema = { ...buildConfig(), config: { toolCallConcurrency: 3 } };
	const agent = await client.request<{ id: string }>('POST', path, { name: 'Agent', schema });
	agents = `${path}/${agent.id}`;
	const workflow = await client.createWorkflow(buildMcpServer());
	await client.activateWorkflow(workflow);
	mcp = await waitFor('the MCP server', async () =>
		connectMcp(`${client.address}/mcp/tools`).catch(() => undefined),
	);
});

afterAll(async () => {
	await mcp.close();
});

/** What the model reads of an add without proof. */
const NEVER_AGAIN = /may have been queued and paid for\. Do not order it again, not in other words/;

describe.each(Object.entries(WAYS))(
	'In a real n8n, a model that calls tools by %s',
	(way, callTools) => {
		const listPaid = () => real.sandbox.charges.map(({ customPrompt }) => customPrompt);

		test('reads that a video may have been queued, and pays for none of its identical orders', async () => {
			const operation = 'queue.add';
			real.sandbox.addFault({ kind: 'status', status: 504, phase: 'after', operation });
			// Two ways remember each other's orders: both are calls of this process.
			const [lost, vanished] = [`lost by ${way}`, `vanished by ${way}`];
			const order = call('Queue a video', lost);
			const same = call('Queue a video', vanished);
			const answers = await callTools([[order], [order], [same, same, same]]);
			expect(answers).toHaveLength(5);
			for (const answer of answers) expect(answer).toMatch(NEVER_AGAIN);
			expect(listPaid()).toEqual([lost, vanished]);
		});

		test('gets a video and no file, pays for no more than it may, deletes nothing and reads little, whatever it sends, and how often at once', async () => {
			real.sandbox.addProjects('main', [{ id: OTHER }]);
			const order = (prompt: string) => call('Queue three videos', prompt);
			const { tool, input } = order('Another operation');
			const deletion = { resource: 'queue', operation: 'clear', queueId: 'q' };
			const answers = await callTools([
				[order('x'.repeat(300_000))],
				[{ tool, input: { ...input, ...deletion } }],
				Array.from({ length: ORDERS }, (_, i) => order(`Video ${i} by ${way}`)),
				[call('Generate a video', 'A sea')],
			]);
			expect(answers).toHaveLength(3 + ORDERS);
			for (const answer of answers) expect(answer.length).toBeLessThan(10_000);
			const { charges, requests } = real.sandbox;
			const made = charges.find(({ customPrompt }) => customPrompt === 'A sea');
			expect(answers.at(-1)).toContain(`${made?.videoId}.mp4`);
			const paid = listPaid().filter((prompt) => prompt !== 'A sea');
			expect(paid.length).toBeLessThanOrEqual(3);
			const operations = requests.map(({ operation }) => operation);
			expect(operations.filter((each) => /clear|file/.test(each ?? ''))).toEqual([]);
		});
	},
);

interface Conversation {
	conversation: { messages: Record<string, { status: string; content: { content: string }[] }> };
}

test("In n8n's own Chat, each message of a streamed answer ends, and none is empty, while a tool waits for its video", async () => {
	const { client, sandbox } = real;
	await client.request('PUT', '/chat/enabled', { enabled: true });
	const trigger = {
		name: 'Chat',
		type: `${LANGCHAIN}.chatTrigger`,
		typeVersion: 1.4,
		parameters: { availableInChat: true, options: { responseMode: 'streaming' } },
		settings: { webhookId: randomUUID() },
	};
	const agent = { name: 'Agent', type: `${LANGCHAIN}.agent`, typeVersion: 3 };
	const ofAgent = [chatModel(chat.credential, agent.name), ...attachTools(agent.name)];
	const workflow = await client.createWorkflow(buildWorkflow('Chat', [trigger, agent, ...ofAgent]));
	await client.activateWorkflow(workflow);
	model.play([[call('Generate a video', 'A chat')], 'Here it is']);
	const sessionId = randomUUID();
	await client.request('POST', '/chat/conversations/send', {
		messageId: randomUUID(),
		sessionId,
		message: 'Make a video',
		model: { provider: 'n8n', workflowId: workflow.id },
		previousMessageId: null,
		credentials: {},
		attachments: [],
	});
	const messages = await waitFor('the answer', async () => {
		const path = `/chat/conversations/${sessionId}`;
		const { conversation } = await client.request<Conversation>('GET', path);
		const shown = Object.values(conversation.messages).map(({ status, content }) => [
			status,
			content.map((part) => part.content).join(''),
		]);
		return shown.some(([status, text]) => status === 'success' && text === 'Here it is') && shown;
	});
	const texts = ['Make a video', 'One moment', 'Here it is'];
	expect(messages).toEqual(texts.map((text) => ['success', text]));
	expect(sandbox.charges).toHaveLength(1);
});

test('A model is told by each tool what it does, what costs credits and what is for good', async () => {
	await WAYS['AI Agent 3']?.([]);
	const told = model.tools.map(({ name, description }) => `${name}: ${description}`);
	expect(told.sort()).toEqual([
		'Clear_a_video: Delete queue item permanently in Video Generation',
		'Generate_a_video: Generate video (costs credits) in Video Generation',
		'Queue_a_video: Queue video without waiting (costs credits) in Video Generation',
		'Queue_three_videos: Queue video without waiting (costs credits) in Video Generation',
	]);
});
