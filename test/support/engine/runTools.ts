import type {
	EngineResponse,
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeParameters,
	INodeType,
	INodeTypeDescription,
	IRun,
} from 'n8n-workflow';
import { createRunExecutionData, NodeConnectionTypes, Workflow } from 'n8n-workflow';
import { WorkflowExecute } from 'n8n-core';
import { createNodeTypes, describeType, PASS_ON } from '../n8nServer/createNodeTypes';
import { CREDENTIALS, createTestNode } from './createTestNode';
import { loadPackage } from './loadPackage';
import type { EnteredCredential } from './runNode';
import { NODE_TYPE } from './runNode';
import { createAdditionalData } from '../n8nServer/TestCredentialsHelper';
import { unfoldError } from './unfoldError';

const TOOL_NAME = 'Video Tool';
const AGENT = 'test.agent';
const TOOL = `${NODE_TYPE}Tool`;

const AGENT_DESCRIPTION: INodeTypeDescription = {
	...describeType(AGENT),
	inputs: [NodeConnectionTypes.Main, NodeConnectionTypes.AiTool],
};

interface Tool {
	invoke(input: unknown): Promise<string>;
}

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
	/**
	 * Whether the agent leaves its calls to n8n, which runs the tool as a step of the workflow, like
	 * n8n's own agent since its version 3. Older agents call the tool themselves.
	 */
	asSteps?: boolean;
	/** The workflow's execution order; `v1` by default, as n8n sets it in a new workflow. */
	executionOrder?: 'v0' | 'v1';
	/** Awaited before each call of a group except its first; not used with `asSteps`. */
	beforeLaterCalls?: () => Promise<void>;
	/** Called with the whole execution, once it has ended. */
	inspect?: (run: IRun) => void;
}

/**
 * Runs a fake agent that calls the built node as its tool, through the tool that n8n's engine makes
 * from the node.
 *
 * @returns the text that the agent receives for each call, a result or an error
 */
export async function runTools({
	parameters,
	credentials,
	calls,
	settings,
	asSteps = false,
	executionOrder = 'v1',
	beforeLaterCalls,
	inspect,
}: ToolSetup): Promise<string[]> {
	const loaded = await loadPackage();
	const answers: string[] = [];
	const groups = typeof calls === 'function' ? [] : [...calls];
	const next = typeof calls === 'function' ? calls : () => groups.shift();
	const registry = createNodeTypes(loaded.nodes);
	const ours = registry.getByNameAndVersion(NODE_TYPE);
	const types: Record<string, INodeType> = {
		[AGENT]: asSteps
			? createSteppingAgent(next, answers)
			: createAgent(next, answers, beforeLaterCalls),
		[TOOL]: asTool(ours),
	};
	const find = (name: string) => types[name] ?? registry.getByNameAndVersion(name);
	const agent = createTestNode('Agent', AGENT);
	const workflow = new Workflow({
		id: 'w1',
		active: false,
		nodeTypes: { getByName: find, getByNameAndVersion: find, getKnownTypes: () => ({}) },
		settings: { executionOrder },
		nodes: [
			createTestNode('Start', PASS_ON),
			agent,
			createTestNode(TOOL_NAME, TOOL, {
				credentials: CREDENTIALS,
				...settings,
				parameters,
			}),
		],
		connections: {
			Start: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
			[TOOL_NAME]: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
		},
	});
	const start = {
		node: agent,
		data: { main: [[{ json: {} }, { json: {} }, { json: {} }]] },
		source: { main: [{ previousNode: 'Start' }] },
	};
	const run: IRun = await new WorkflowExecute(
		createAdditionalData(loaded.credentials, credentials),
		'manual',
		createRunExecutionData({ executionData: { nodeExecutionStack: [start] } }),
	).processRunExecutionData(workflow);
	inspect?.(run);
	if (run.data.resultData.error) throw run.data.resultData.error as Error;
	return answers;
}

/** Creates an agent that calls the tool itself, as older agents do. */
function createAgent(
	next: NextCalls,
	answers: string[],
	beforeLaterCalls: () => Promise<void> = async () => {
		await Promise.resolve();
	},
): INodeType {
	return {
		description: AGENT_DESCRIPTION,
		async execute(this: IExecuteFunctions) {
			const [tool] = (await this.getInputConnectionData(NodeConnectionTypes.AiTool, 0)) as Tool[];
			for (let group = next(answers); group; group = next(answers)) {
				const told = group.map(async (input, index) => {
					if (!tool) throw new Error('The agent has no tool');
					if (index > 0) await beforeLaterCalls();
					return await tool.invoke(input).catch((error: unknown) => (error as Error).message);
				});
				answers.push(...(await Promise.all(told)));
			}
			return [[]];
		},
	};
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
				const items = data.data?.ai_tool?.[0] ?? [];
				answers.push(JSON.stringify(items.map(({ json }) => unfoldError(json))));
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

/**
 * Makes a tool's type from a node's type as n8n's server does: by giving it an output for agents.
 */
function asTool(type: INodeType): INodeType {
	const tool = Object.create(type) as INodeType;
	tool.description = { ...type.description, name: TOOL, outputs: [NodeConnectionTypes.AiTool] };
	return tool;
}
