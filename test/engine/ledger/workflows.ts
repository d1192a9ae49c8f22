import type {
	IExecuteData,
	IExecuteFunctions,
	INode,
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
} from '../../support/engine/runTools';
import { TestCredentialsHelper } from '../../support/engine/TestCredentialsHelper';
import type { ServiceAddress } from './parameters';
import {
	ADD_NODE,
	createParameters,
	createCredential,
	createItemJsons,
	createSettings,
	createWaitParameters,
	formatProject,
	TOOL_NAME,
	WAIT_NODE,
} from './parameters';
import { isAgent } from './Story';
import type { StoryExecution } from './Story';

/** All executions of a story are of one workflow. */
export const WORKFLOW_ID = 'w1';

export interface StartedExecution {
	result: Promise<IRun>;
	/** Presses Stop. */
	stop(): void;
}

function createNodes(execution: StoryExecution): INode[] {
	const settings = { credentials: CREDENTIALS, ...createSettings(execution) };
	if (isAgent(execution)) {
		const parameters = createParameters(execution);
		return [
			createTestNode('Start', PASS_ON),
			createTestNode('Agent', AGENT),
			createTestNode(TOOL_NAME, TOOL, { ...settings, parameters }),
		];
	}
	const nodes = [
		createTestNode('Input', PASS_ON),
		createTestNode(ADD_NODE, NODE_TYPE, {
			...settings,
			parameters: createParameters(execution),
		}),
	];
	if (execution.way === 'loop') {
		nodes.push(createTestNode('First', PASS_ON), createTestNode('Second', PASS_ON));
	}
	if (execution.waiting === 'wait' && execution.operation === 'add') {
		const parameters = createWaitParameters(execution);
		nodes.push(createTestNode(WAIT_NODE, NODE_TYPE, { ...settings, parameters }));
	}
	return nodes;
}

export interface ExecutionStart {
	/** The settings of the workflow. */
	execution: StoryExecution;
	id: string;
	service: ServiceAddress;
	/** Called each time that n8n calls our node. */
	onPass: (node: string) => void;
	/** The saved data of the failed execution that is retried. */
	failed?: IRun['data'];
	/** Loads the package; by default, once for all executions. */
	loadNodes?: typeof loadPackage;
	/** Whether the retry takes the nodes as they are saved now, and not as they were. */
	takesNodesAnew?: boolean;
}

/** Starts one execution of a story in n8n's own engine, with the built node. */
export async function startExecution(start: ExecutionStart): Promise<StartedExecution> {
	const { execution, id, service, onPass, failed } = start;
	const { nodes: packageNodes, credentials } = await (start.loadNodes ?? loadPackage)();
	const nodes = createNodes(execution);
	const registry = addAgent(createNodeTypes(packageNodes), execution);
	const workflow = new Workflow({
		id: WORKFLOW_ID,
		active: false,
		nodeTypes: watchPasses(registry, onPass),
		settings: { executionOrder: 'v1' },
		nodes,
		connections: connect(nodes),
	});
	const started = new WorkflowExecute(
		{
			credentialsHelper: new TestCredentialsHelper(
				credentials,
				createCredential(execution, service),
			),
			hooks: new ExecutionLifecycleHooks(failed ? 'retry' : 'manual', id, {} as never),
			...{ currentNodeExecutionIndex: 0, variables: {}, executionId: id },
			webhookWaitingBaseUrl: 'http://127.0.0.1/webhook-waiting',
			formWaitingBaseUrl: 'http://127.0.0.1/form-waiting',
			restApiUrl: 'http://127.0.0.1/rest',
			instanceBaseUrl: 'http://127.0.0.1/',
			logAiEvent: () => undefined,
		} as unknown as IWorkflowExecuteAdditionalData,
		failed ? 'retry' : 'manual',
		failed
			? createRunExecutionData(prepareRetry(failed, start.takesNodesAnew ? workflow : undefined))
			: createRunExecutionData({
					executionData: { nodeExecutionStack: [createStart(workflow, execution, service)] },
				}),
	).processRunExecutionData(workflow);
	return {
		result: started,
		stop: () => {
			started.cancel();
		},
	};
}

/**
 * Prepares the data of a failed execution as n8n does when a person retries it: without the error
 * and the last run of the node that failed.
 *
 * @param saved workflow whose nodes take the places of those in the data
 */
function prepareRetry(
	failed: IRun['data'],
	saved: Workflow | undefined,
): Parameters<typeof createRunExecutionData>[0] {
	const { lastNodeExecuted = '', runData } = failed.resultData;
	delete failed.resultData.error;
	const tasks = runData[lastNodeExecuted];
	if (tasks?.at(-1)?.error !== undefined) tasks.pop();
	for (const entry of failed.executionData?.nodeExecutionStack ?? []) {
		const node = saved?.getNode(entry.node.name);
		if (node) entry.node = node;
	}
	return { ...failed };
}

/** Reports each call of our node by n8n: of Retry On Fail, n8n itself says nothing. */
function watchPasses(registry: INodeTypes, onPass: (node: string) => void): INodeTypes {
	const find = (name: string) => {
		const type = registry.getByNameAndVersion(name);
		if (name !== NODE_TYPE || !type.customOperations) return type;
		const watched = Object.create(type) as INodeType;
		watched.customOperations = Object.fromEntries(
			Object.entries(type.customOperations).map(([resource, operations]) => [
				resource,
				Object.fromEntries(
					Object.entries(operations).map(([operation, run]) => [
						operation,
						async function (this: IExecuteFunctions) {
							onPass(this.getNode().name);
							return await run.call(this);
						},
					]),
				),
			]),
		);
		return watched;
	};
	return { getByName: find, getByNameAndVersion: find, getKnownTypes: () => ({}) };
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

function createStart(
	workflow: Workflow,
	execution: StoryExecution,
	service: ServiceAddress,
): IExecuteData {
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
	const data = createItemJsons(execution, service).map((json) => ({ json }));
	return { node: input, data: { main: [data] }, source: null };
}
