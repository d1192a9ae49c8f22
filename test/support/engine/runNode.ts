import type {
	IBinaryKeyData,
	IDataObject,
	IExecuteData,
	INode,
	INodeExecutionData,
	INodeParameters,
	IRun,
	IRunExecutionData,
	ITaskData,
	IWorkflowSettings,
	NodeApiError,
} from 'n8n-workflow';
import { parse, stringify } from 'flatted';
import { createRunExecutionData, Workflow } from 'n8n-workflow';
import { WorkflowExecute } from 'n8n-core';
import { createNodeTypes, LOOK_BACK, LOOP_END, PASS_ON } from '../n8nServer/createNodeTypes';
import { CREDENTIALS, createTestNode } from './createTestNode';
import { loadPackage } from './loadPackage';
import { createAdditionalData } from '../n8nServer/TestCredentialsHelper';
import { unfoldError } from './unfoldError';

export const NODE_TYPE = 'n8n-nodes-video-generation.videoGeneration';
const NODE_NAME = 'Video Generation';

/** The settings of a node whose failed items come out on its error output. */
export const ERROR_OUTPUT: Partial<INode> = { onError: 'continueErrorOutput' };

/** The credential as the user enters it, with the fields that n8n adds to every credential. */
export interface EnteredCredential {
	baseUrl: string;
	apiKey: string;
	allowedHttpRequestDomains?: 'none';
}

export interface NodeSetup {
	parameters: INodeParameters;
	credentials: EnteredCredential;
	/** The items before the node; one empty item by default. An undefined item lacks its json. */
	items?: (IDataObject | undefined)[];
	/** The binary data of each item. */
	binary?: IBinaryKeyData;
	/** The node's settings: `onError`, `retryOnFail`, `maxTries`, `executeOnce` … */
	settings?: Partial<INode>;
	/** The number of items of each round of a loop around the node; by default, all of them are one round. */
	perRound?: number | undefined;
	/** The number of times that the workflow runs the node with its items; 1 by default. */
	times?: number;
	/** Whether the node is a part of a loop. */
	isInLoop?: boolean;
	/** A failed execution that Executions > Retry runs again, with the node as it is set up now. */
	failed?: IRun;
	workflowId?: string;
	/** The workflow's settings, beside its execution order. */
	workflowSettings?: IWorkflowSettings;
	/** How long nodes before it have taken. */
	startedMsAgo?: number;
	/** The time that n8n's own timeout, or a parent's, leaves. */
	endsInMs?: number;
	/** Reads the execution as n8n has saved it. */
	readSaved?: () => Promise<IRunExecutionData | undefined>;
	/** Loads the package; by default, once for all executions of this process. */
	loadNodes?: typeof loadPackage;
}

export interface NodeResult {
	/** The items of the first output in the node's last run. */
	items: INodeExecutionData[];
	/** The items of the first output in each run. */
	runs: INodeExecutionData[][];
	/** The items of the error output in the node's last run, and in each run. */
	errorItems: INodeExecutionData[];
	errorRuns: INodeExecutionData[][];
	/**
	 * The value of `$('Input').item.json` for each item of the first output and of the error output.
	 */
	found: { items: unknown[]; errorItems: unknown[] };
	/** The error that stopped the node. */
	error: NodeApiError | undefined;
	run: IRun;
}

export interface StartedNode {
	result: Promise<NodeResult>;
	/** Presses the stop button. */
	stop(): void;
}

/**
 * Runs the built node in n8n's own engine, between an input node that holds the items and one node
 * on each output.
 */
export async function startNode(setup: NodeSetup): Promise<StartedNode> {
	const { nodes, credentials } = await (setup.loadNodes ?? loadPackage)();
	const workflow = createWorkflow(setup, createNodeTypes(nodes));
	const additionalData = createAdditionalData(credentials, setup.credentials);
	if (setup.endsInMs !== undefined)
		additionalData.executionTimeoutTimestamp = Date.now() + setup.endsInMs;
	if (setup.readSaved) additionalData.getRunExecutionData = setup.readSaved;
	const items = (setup.items ?? [{}]).map((json) => ({
		...(json && { json }),
		...(setup.binary && { binary: setup.binary }),
	}));
	const { perRound = items.length } = setup;
	const rounds = items.flatMap((_, i) =>
		i % perRound === 0 ? [items.slice(i, i + perRound)] : [],
	);
	const nodeExecutionStack = (rounds.length === 0 ? [[]] : rounds).map((round): IExecuteData => ({
		node: createTestNode('Input', PASS_ON),
		data: { main: [round as INodeExecutionData[]] },
		source: null,
	}));
	const { startedMsAgo = 0 } = setup;
	const runtimeData = {
		version: 1 as const,
		establishedAt: Date.now() - startedMsAgo,
		source: 'manual' as const,
	};
	const data = setup.failed
		? restore(setup.failed, workflow)
		: createRunExecutionData({ executionData: { nodeExecutionStack, runtimeData } });
	const mode = setup.failed ? 'retry' : 'manual';
	const execution = new WorkflowExecute(additionalData, mode, data).processRunExecutionData(
		workflow,
	);
	return {
		result: execution.then((run) => readResult(run)),
		stop: () => {
			execution.cancel();
		},
	};
}

/**
 * Returns the data of a failed execution as n8n saves them, and as Executions > Retry prepares them
 * ("ExecutionService.retry"): without the error, the last node's run, and the nodes of then.
 */
function restore({ data }: IRun, workflow: Workflow): IRunExecutionData {
	const saved = parse(stringify(data)) as IRunExecutionData;
	const { lastNodeExecuted = '' } = saved.resultData;
	delete saved.resultData.error;
	saved.resultData.runData[lastNodeExecuted]?.pop();
	for (const entry of saved.executionData?.nodeExecutionStack ?? []) {
		const node = workflow.getNode(entry.node.name);
		if (node) entry.node = node;
	}
	return createRunExecutionData(saved);
}

/** Runs the node like `startNode`, to the end. */
export async function runNode(setup: NodeSetup): Promise<NodeResult> {
	const { result } = await startNode(setup);
	return await result;
}

function createWorkflow(
	{ parameters, settings, times = 1, isInLoop, workflowId = 'w1', workflowSettings }: NodeSetup,
	nodeTypes: ReturnType<typeof createNodeTypes>,
) {
	const lookBack = { parameters: { found: "={{ $('Input').item.json }}" } };
	const to = (name: string) => [{ node: name, type: 'main' as const, index: 0 }];
	return new Workflow({
		id: workflowId,
		active: false,
		nodeTypes,
		settings: { executionOrder: 'v1', ...workflowSettings },
		nodes: [
			createTestNode('Input', PASS_ON),
			createTestNode(NODE_NAME, NODE_TYPE, {
				credentials: CREDENTIALS,
				...settings,
				parameters,
			}),
			createTestNode('After', LOOK_BACK, lookBack),
			createTestNode('After Error', LOOK_BACK, lookBack),
			createTestNode('Loop End', LOOP_END),
		],
		connections: {
			Input: { main: [Array.from({ length: times }, () => to(NODE_NAME)).flat()] },
			[NODE_NAME]: { main: [to('After'), to('After Error')] },
			...(isInLoop && {
				After: { main: [to('Loop End')] },
				'Loop End': { main: [to(NODE_NAME)] },
			}),
		},
	});
}

function readResult(run: IRun): NodeResult {
	const { runData } = run.data.resultData;
	const task = runData[NODE_NAME]?.at(-1);
	const found = (name: string) =>
		(runData[name]?.[0]?.data?.main?.[0] ?? []).map(({ json }) => json.found);
	const read = (data: ITaskData['data'], output: number) =>
		(data?.main?.[output] ?? []).map((item) => ({ ...item, json: unfoldError(item.json) }));
	return {
		items: read(task?.data, 0),
		runs: (runData[NODE_NAME] ?? []).map(({ data }) => read(data, 0)),
		errorItems: read(task?.data, 1),
		errorRuns: (runData[NODE_NAME] ?? []).map(({ data }) => read(data, 1)),
		found: { items: found('After'), errorItems: found('After Error') },
		error: task?.error as NodeApiError | undefined,
		run,
	};
}
