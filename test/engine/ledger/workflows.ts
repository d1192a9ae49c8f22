import type {
	IExecuteData,
	INode,
	INodeParameters,
	INodeType,
	INodeTypes,
	IRun,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { createRunExecutionData, Workflow } from 'n8n-workflow';
import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import { createNodeTypes, PASS_ON } from '../../support/engine/createNodeTypes';
import { CREDENTIALS, createTestNode } from '../../support/engine/createTestNode';
import { loadPackage } from '../../support/engine/loadPackage';
import { NODE_TYPE } from '../../support/engine/runNode';
import {
	AGENT,
	asTool,
	createAgent,
	createSteppingAgent,
	TOOL,
	TOOL_NAME,
} from '../../support/engine/runTools';
import { TestCredentialsHelper } from '../../support/engine/TestCredentialsHelper';
import type { StoryExecution, StoryItem } from './Story';

export const ADD_NODE = 'Add';
export const WAIT_NODE = 'Wait';
export { TOOL_NAME };

/** Between an item's own prompt and what the expression adds to it. */
export const PROMPT_SEPARATOR = ' / ';

/** Nothing listens there. */
const CLOSED_PORT = 'http://127.0.0.1:1';

/** Where the service is, and the keys of its two accounts. */
export interface ServiceAddress {
	url: string;
	keys: [string, string];
}

export interface StartedExecution {
	result: Promise<IRun>;
	/** Presses Stop. */
	stop(): void;
}

export function formatProject({ account, project }: StoryItem): string {
	return `project-${account}-${project}`;
}

/** What the nodes of a story are set to, in n8n's engine as in a real n8n. */
export function createNodes(execution: StoryExecution): INode[] {
	const isAgent = execution.way === 'agentCalls' || execution.way === 'agentSteps';
	const common: Partial<INode> = {
		credentials: CREDENTIALS,
		// A tool has no error output: there, n8n's default is to go on and to tell the agent.
		...(!(isAgent && execution.onError === 'continueErrorOutput') && {
			onError: execution.onError,
		}),
		...(execution.tries > 1 && { retryOnFail: true, maxTries: execution.tries }),
		...(execution.executeOnce && { executeOnce: true }),
	};
	const add = createTestNode(isAgent ? TOOL_NAME : ADD_NODE, isAgent ? TOOL : NODE_TYPE, {
		...common,
		parameters: createAddParameters(execution, isAgent),
	});
	if (isAgent) return [createTestNode('Start', PASS_ON), createTestNode('Agent', AGENT), add];
	const nodes = [createTestNode('Input', PASS_ON), add];
	if (execution.way === 'loop') {
		nodes.push(createTestNode('First', PASS_ON), createTestNode('Second', PASS_ON));
	}
	if (execution.waiting === 'wait') {
		const parameters = createWaitParameters(execution);
		nodes.push(createTestNode(WAIT_NODE, NODE_TYPE, { ...common, parameters }));
	}
	return nodes;
}

function createAddParameters(execution: StoryExecution, isAgent: boolean): INodeParameters {
	const ask = (name: string) =>
		isAgent ? `$fromAI('${name}', 'the ${name}', 'string')` : `$json.${name}`;
	const end = { '': '', $now: '{{ $now.toISO() }}', 'Math.random()': '{{ Math.random() }}' };
	const promptEnd = end[execution.promptEnd];
	return {
		...{ resource: 'queue', operation: 'add' },
		projectId: { __rl: true, mode: 'id', value: `={{ ${ask('project')} }}` },
		customPrompt:
			promptEnd === ''
				? `={{ ${ask('prompt')} }}`
				: `={{ ${ask('prompt')} }}${PROMPT_SEPARATOR}${promptEnd}`,
		overwriteSettings: isAgent
			? formatSwitch(execution.items[0]?.overwriteSettings ?? false)
			: '={{ $json.overwriteSettings }}',
		waitForCompletion: execution.waiting === 'add' && formatSwitch(execution.waitSwitch),
		...(execution.waiting === 'add' && { waitOptions: execution.waitOptions }),
		...createCommonParameters(execution),
	};
}

/** Whatever is not a switch comes by an expression. */
function formatSwitch(value: boolean | string | number): boolean | string {
	return typeof value === 'boolean' ? value : `={{ ${JSON.stringify(value)} }}`;
}

function createWaitParameters(execution: StoryExecution): INodeParameters {
	const value = execution.waitKnowsProject ? '={{ $json.projectId }}' : '';
	return {
		...{ resource: 'queue', operation: 'wait', queueId: '={{ $json.queueId }}' },
		projectId: { __rl: true, mode: 'id', value },
		waitOptions: execution.waitOptions,
		...createCommonParameters(execution),
	};
}

function createCommonParameters(execution: StoryExecution): INodeParameters {
	const { batchSize, batchIntervalMs: batchInterval, maxTries, requestTimeout } = execution;
	const requestOptions = {
		...(batchSize !== 0 && { batching: { batch: { batchSize, batchInterval } } }),
		...(requestTimeout !== null && { timeout: requestTimeout }),
	};
	return {
		...(Object.keys(requestOptions).length > 0 && { requestOptions }),
		...(maxTries !== null && { options: { maxTries } }),
	};
}

/** The credential's fields as entered, with a key for each item where the items have different accounts. */
function createCredential({ items, way }: StoryExecution, { url, keys }: ServiceAddress) {
	if (way === 'agentCalls' || way === 'agentSteps') {
		return {
			baseUrl: items[0]?.unreachable ? CLOSED_PORT : url,
			apiKey: keys[items[0]?.account ?? 0],
		};
	}
	const input = "$('Input').item.json";
	const isMixed = items.some(({ account }) => account !== items[0]?.account);
	return {
		baseUrl: items.some(({ unreachable }) => unreachable)
			? `={{ ${input}.unreachable ? '${CLOSED_PORT}' : '${url}' }}`
			: url,
		apiKey: isMixed
			? `={{ ${input}.account === 1 ? '${keys[1]}' : '${keys[0]}' }}`
			: keys[items[0]?.account ?? 0],
	};
}

/** Starts one execution of a story in n8n's own engine, with the built node. */
export async function startExecution(
	execution: StoryExecution,
	id: string,
	address: ServiceAddress,
): Promise<StartedExecution> {
	const { nodes: packageNodes, credentials } = await loadPackage();
	const nodes = createNodes(execution);
	const workflow = new Workflow({
		id: 'w1',
		active: false,
		nodeTypes: addAgent(createNodeTypes(packageNodes), execution),
		settings: { executionOrder: 'v1' },
		nodes,
		connections: connect(nodes),
	});
	const started = new WorkflowExecute(
		{
			credentialsHelper: new TestCredentialsHelper(
				credentials,
				createCredential(execution, address),
			),
			hooks: new ExecutionLifecycleHooks('manual', id, {} as never),
			...{ currentNodeExecutionIndex: 0, variables: {}, executionId: id },
			webhookWaitingBaseUrl: 'http://127.0.0.1/webhook-waiting',
			formWaitingBaseUrl: 'http://127.0.0.1/form-waiting',
			restApiUrl: 'http://127.0.0.1/rest',
			instanceBaseUrl: 'http://127.0.0.1/',
			logAiEvent: () => undefined,
		} as unknown as IWorkflowExecuteAdditionalData,
		'manual',
		createRunExecutionData({
			executionData: { nodeExecutionStack: [createStart(workflow, execution)] },
		}),
	).processRunExecutionData(workflow);
	return {
		result: started,
		stop: () => {
			started.cancel();
		},
	};
}

function addAgent(registry: INodeTypes, execution: StoryExecution): INodeTypes {
	const { items, way, callsAtOnce } = execution;
	const inputs = items.map((item) => ({
		prompt: item.prompt as string,
		project: formatProject(item),
	}));
	const groups = Array.from({ length: Math.ceil(inputs.length / callsAtOnce) }, (_, group) =>
		inputs.slice(group * callsAtOnce, (group + 1) * callsAtOnce),
	);
	const types: Record<string, INodeType> = {
		[AGENT]: way === 'agentSteps' ? createSteppingAgent(groups, []) : createAgent(groups, []),
		[TOOL]: asTool(registry.getByNameAndVersion(NODE_TYPE)),
	};
	const find = (name: string) => types[name] ?? registry.getByNameAndVersion(name);
	return { getByName: find, getByNameAndVersion: find, getKnownTypes: () => ({}) };
}

function connect(nodes: INode[]) {
	const names = new Set(nodes.map(({ name }) => name));
	const to = (...targets: string[]) => ({
		main: [
			targets
				.filter((name) => names.has(name))
				.map((node) => ({ node, type: 'main' as const, index: 0 })),
		],
	});
	return {
		Start: to('Agent'),
		Input: names.has('First') ? to('First', 'Second') : to(ADD_NODE),
		First: to(ADD_NODE),
		Second: to(ADD_NODE),
		[ADD_NODE]: to(WAIT_NODE),
		[TOOL_NAME]: { ai_tool: [[{ node: 'Agent', type: 'ai_tool' as const, index: 0 }]] },
	};
}

function createStart(workflow: Workflow, { items }: StoryExecution): IExecuteData {
	const agent = workflow.getNode('Agent');
	if (agent) {
		return {
			node: agent,
			data: { main: [[{ json: {} }]] },
			source: { main: [{ previousNode: 'Start' }] },
		};
	}
	const input = workflow.getNode('Input');
	if (!input) throw new Error('The workflow lacks its first node');
	const data = items.map((item) => ({
		json: {
			...{ account: item.account, unreachable: item.unreachable, project: formatProject(item) },
			...(item.prompt !== null && { prompt: item.prompt }),
			overwriteSettings: item.overwriteSettings,
		},
	}));
	return { node: input, data: { main: [data] }, source: null };
}
