import type { IDataObject, IExecuteSingleFunctions, ITaskMetadata } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

type CallContext = Pick<IExecuteSingleFunctions, 'getExecuteData' | 'getNode'>;

/** Whether a model reads the result: n8n makes a tool of a node under the node's type with this ending. */
export const isAgentCall = (context: CallContext) => context.getNode().type.endsWith('Tool');

/** Whether n8n runs the call as a step of the agent's workflow, as it does for the AI Agent node from version 3 on. */
export const isAgentStep = (context: CallContext) =>
	context.getNode().rewireOutputLogTo === NodeConnectionTypes.AiTool;

/** Whether n8n runs this node itself. Where an agent calls its tool itself, the data are those of the agent. */
const isRunByN8n = (context: CallContext) =>
	context.getExecuteData().node.name === context.getNode().name;

/** The name of our data in n8n's data of a node. */
const KEY = 'videoGeneration';

/** What `keep` has handed to n8n in an earlier try of the node, or in the failed execution that is retried. */
export function getKept(context: IExecuteSingleFunctions): unknown {
	const { metadata } = context.getExecuteData() as { metadata?: IDataObject };
	return isRunByN8n(context) ? metadata?.[KEY] : undefined;
}

/** As a whole: n8n 2.20 replaces what it keeps, and later versions merge objects, but no lists. */
export function keep(context: IExecuteSingleFunctions, data: object | undefined): void {
	if (isRunByN8n(context)) context.setMetadata({ [KEY]: data } as ITaskMetadata);
}

/**
 * What n8n keeps of a node, or of all its execution, through rounds and retries, to be changed in place. Undefined for
 * an agent's call that shares no execution with others, as those of the MCP Server Trigger and of n8n's Agents.
 */
export function findMemory(context: IExecuteSingleFunctions, scope: 'node' | 'flow') {
	const executionId = context.getExecutionId() as string | undefined;
	const isShared = executionId !== undefined && (isAgentStep(context) || !isRunByN8n(context));
	return isShared || !isAgentCall(context) ? context.getContext(scope) : undefined;
}

/** How many tries of a node have begun, by n8n's data of its input. */
const tries = new WeakMap<object, number>();

/** Counts a try. @returns whether n8n runs the node again if its first item is an error: it drops the output then */
export function beginTry(context: CallContext): boolean {
	const data = context.getExecuteData();
	const count = (tries.get(data) ?? 0) + 1;
	tries.set(data, count);
	const { maxTries, retryOnFail } = context.getNode();
	return retryOnFail === true && count < Math.min(Math.max(2, Number(maxTries) || 3), 5);
}

/** Whether the node is part of a loop, which n8n ends without a word when a round has no output. */
export function isInLoop(context: IExecuteSingleFunctions): boolean {
	const { name } = context.getNode();
	const before = new Set(context.getParentNodes(name).map((node) => node.name));
	return context.getChildNodes(name).some((node) => before.has(node.name));
}
