import type {
	EngineResponse,
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	INodeTypeDescription,
	IRun,
	IWebhookData,
} from 'n8n-workflow';
import {
	createEmptyRunExecutionData,
	createRunExecutionData,
	NodeConnectionTypes,
	Workflow,
} from 'n8n-workflow';
import { ExecuteContext, SupplyDataContext, WebhookContext, WorkflowExecute } from 'n8n-core';
import { createNodeTypes, describeType, PASS_ON } from '../n8nServer/createNodeTypes';
import { CREDENTIALS, createTestNode } from './createTestNode';
import { loadPackage } from './loadPackage';
import { type EnteredCredential, NODE_TYPE } from './runNode';
import { createAdditionalData } from '../n8nServer/TestCredentialsHelper';
import { unfoldError } from './unfoldError';

/** The ways in which n8n lets a model call a node, as far as its engine has a part in them. */
export const WAYS = {
	/** It calls its tool itself. */
	tool: 'an AI Agent up to version 2',
	/** n8n runs each call as a step of the agent's workflow. */
	steps: 'an AI Agent since version 3',
	/** It calls its tool itself, without an execution. */
	mcp: 'an MCP Server Trigger',
	/** In queue mode, each call belongs to an execution of its own. */
	mcpWorker: "an MCP Server Trigger's worker",
	/** Each call has neither a workflow nor an execution. */
	agents: "one of n8n's Agents",
} as const;

export type Way = keyof typeof WAYS;

/** For `test.each`: each way with its description. */
export const EACH_WAY = Object.entries(WAYS).map(([way, name]) => [name, way] as [string, Way]);

const TOOL_NAME = 'Video Tool';
const AGENT = 'test.agent';
const TOOL = `${NODE_TYPE}Tool`;

const AGENT_DESCRIPTION: INodeTypeDescription = {
	...describeType(AGENT),
	inputs: [NodeConnectionTypes.Main, NodeConnectionTypes.AiTool],
};

/** @returns what the model reads */
type Call = (input: object) => Promise<string>;

type NextCalls = (answers: string[]) => object[] | undefined;

export interface ToolSetup {
	parameters: INodeParameters;
	credentials: EnteredCredential;
	/**
	 * The agent's calls of the tool: the groups one after the other, the calls of a group at the same
	 * time. A function decides on the next group by the answers so far.
	 */
	calls: object[][] | NextCalls;
	settings?: Partial<INode>;
	/** `tool` by default. */
	way?: Way;
	/** The workflow's execution order; `v1` by default, as n8n sets it in a new workflow. */
	executionOrder?: 'v0' | 'v1';
	/** Called with what presses Stop, of an agent's execution. */
	onStart?: (stop: () => void) => void;
	/** Called with each chunk of the answer that an agent's execution streams. */
	onChunk?: (content: string) => void;
	/** Called with the whole execution, once it has ended. */
	inspect?: (run: IRun) => void;
}

/**
 * Runs a fake agent that calls the built node as its tool, through the tool that n8n's engine makes
 * from the node.
 *
 * @returns the text that the agent receives for each call, a result or an error
 */
export async function runTools({ way = 'tool', ...setup }: ToolSetup): Promise<string[]> {
	const { calls, inspect } = setup;
	const answers: string[] = [];
	const groups = typeof calls === 'function' ? [] : [...calls];
	const next = typeof calls === 'function' ? calls : () => groups.shift();
	const play = async (call: Call) => {
		for (let group = next(answers); group; group = next(answers)) {
			const told = group.map(
				async (input) => await call(input).catch((error: unknown) => (error as Error).message),
			);
			answers.push(...(await Promise.all(told)));
		}
	};
	if (way === 'tool' || way === 'steps') {
		const agent = way === 'steps' ? createSteppingAgent(next, answers) : createAgent(play);
		const run = await runAgent(agent, setup);
		inspect?.(run);
		if (run.data.resultData.error) throw run.data.resultData.error as Error;
	} else {
		const call = { mcp: callByMcp, mcpWorker: callByMcpWorker, agents: callByAgents }[way];
		await play(async (input) => await call(setup, input));
	}
	return answers;
}

/** Creates the workflow of an agent with its tool, and what n8n's server hands to each execution of it. */
async function createWorkflow(
	{ credentials, executionOrder = 'v1', parameters, settings }: ToolSetup,
	agentType: INodeType,
) {
	const { nodes, credentials: credentialTypes } = await loadPackage();
	const types = { ...nodes, [AGENT]: agentType, [TOOL]: asTool(nodes[NODE_TYPE]) };
	const nodeTypes = createNodeTypes(types);
	const agent = createTestNode('Agent', AGENT);
	const tool = createTestNode(TOOL_NAME, TOOL, {
		credentials: CREDENTIALS,
		...settings,
		parameters,
	});
	const workflow = new Workflow({
		id: 'w1',
		active: false,
		nodeTypes,
		settings: { executionOrder },
		nodes: [createTestNode('Start', PASS_ON), agent, tool],
		connections: {
			Start: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
			[TOOL_NAME]: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
		},
	});
	const additionalData = createAdditionalData(credentialTypes, credentials);
	const toolType = nodeTypes.getByNameAndVersion(TOOL);
	return { additionalData, agent, nodeTypes, tool, toolType, workflow };
}

async function runAgent(agentType: INodeType, setup: ToolSetup): Promise<IRun> {
	const { additionalData, agent, workflow } = await createWorkflow(setup, agentType);
	const start = {
		node: agent,
		data: { main: [[{ json: {} }, { json: {} }, { json: {} }]] },
		source: { main: [{ previousNode: 'Start' }] },
	};
	const { onChunk } = setup;
	if (onChunk) {
		additionalData.streamingEnabled = true;
		additionalData.hooks?.addHandler('sendChunk', ({ content = '' }) => {
			onChunk(content);
		});
	}
	const execution = new WorkflowExecute(
		additionalData,
		'manual',
		createRunExecutionData({ executionData: { nodeExecutionStack: [start] } }),
	).processRunExecutionData(workflow);
	setup.onStart?.(() => {
		execution.cancel();
	});
	return await execution;
}

/** The tool that n8n's engine makes from the node for an agent, or for a trigger that is one. */
async function getTool(context: IExecuteFunctions | WebhookContext): Promise<{ invoke: Call }> {
	const tools = await context.getInputConnectionData(NodeConnectionTypes.AiTool, 0);
	return (tools as [{ invoke: Call }])[0];
}

/** Creates an agent that calls the tool itself, as older agents do. */
function createAgent(play: (call: Call) => Promise<void>): INodeType {
	return {
		description: AGENT_DESCRIPTION,
		async execute(this: IExecuteFunctions) {
			const tool = await getTool(this);
			await play(async (input) => await tool.invoke(input));
			return [[]];
		},
	};
}

const MCP_TRIGGER: INodeType = { description: AGENT_DESCRIPTION };

/** As n8n's webhook of the MCP Server Trigger: each request has a context of its own, and no execution. */
async function callByMcp(setup: ToolSetup, input: object): Promise<string> {
	const { additionalData, agent, workflow } = await createWorkflow(setup, MCP_TRIGGER);
	const request = { ...additionalData, executionId: undefined };
	const webhook = {} as IWebhookData;
	const context = new WebhookContext(workflow, agent, request, 'webhook', webhook, [], null);
	return await (await getTool(context)).invoke(input);
}

/** As n8n's worker ("JobProcessor.invokeTool"). */
async function callByMcpWorker(setup: ToolSetup, input: object): Promise<string> {
	const created = await createWorkflow(setup, MCP_TRIGGER);
	const { additionalData, agent, tool, toolType, workflow } = created;
	const main: INodeExecutionData[][] = [[{ json: {} }]];
	const context = new SupplyDataContext(
		workflow,
		tool,
		additionalData,
		'webhook',
		createRunExecutionData(),
		0,
		[],
		{ main },
		NodeConnectionTypes.AiTool,
		{ node: tool, data: { main }, source: null },
		[],
		undefined,
		agent,
	);
	context.addInputData(NodeConnectionTypes.AiTool, [[{ json: input as IDataObject }]]);
	return toText(await toolType.execute?.call(context as never));
}

/** As n8n's Agents ("EphemeralNodeExecutor.executeNodeDirectly"): the settings of a node do not exist there. */
async function callByAgents(setup: ToolSetup, input: object): Promise<string> {
	const created = await createWorkflow({ ...setup, settings: {} }, MCP_TRIGGER);
	const { nodeTypes, tool: node, toolType } = created;
	const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
	const additionalData = { ...created.additionalData, executionId: undefined };
	const items = [{ json: input as IDataObject }];
	const data = { main: [items] };
	const context = new ExecuteContext(
		workflow,
		node,
		additionalData,
		'internal',
		createEmptyRunExecutionData(),
		0,
		items,
		data,
		{ node, data, source: null },
		[],
	);
	return toText(await toolType.execute?.call(context));
}

function toText(output: unknown): string {
	const [items = []] = (output ?? []) as INodeExecutionData[][];
	return JSON.stringify(items.map(({ json }) => unfoldError(json)));
}

/**
 * Creates an agent that asks n8n for the calls of one group at a time, and is run again with their
 * results.
 */
function createSteppingAgent(next: NextCalls, answers: string[]): INodeType {
	return {
		description: AGENT_DESCRIPTION,
		async execute(this: IExecuteFunctions, response?: EngineResponse) {
			for (const { data } of response?.actionResponses ?? []) {
				answers.push(toText(data.data?.ai_tool));
			}
			const group = next(answers);
			if (!group) return [[]];
			const actions = group.map((input, index) => ({
				actionType: 'ExecutionNodeAction' as const,
				nodeName: TOOL_NAME,
				input: input as IDataObject,
				type: NodeConnectionTypes.AiTool,
				id: `call-${answers.length}-${index}`,
				metadata: {},
			}));
			return await Promise.resolve({ actions, metadata: {} });
		},
	};
}

/** Makes a tool's type from a node's type as n8n's server does: by giving it an output for agents. */
function asTool(type?: INodeType): INodeType {
	if (!type) throw new Error('The package lacks its node');
	const tool = Object.create(type) as INodeType;
	tool.description = { ...type.description, name: TOOL, outputs: [NodeConnectionTypes.AiTool] };
	return tool;
}
