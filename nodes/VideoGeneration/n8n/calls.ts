import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

type CallContext = Pick<IExecuteSingleFunctions, 'getExecuteData' | 'getNode'>;

/** Whether a model reads the result: n8n makes a tool of a node under the node's type with this ending. */
export const isAgentCall = (context: CallContext) => context.getNode().type.endsWith('Tool');

/** Whether n8n runs the call as a step of the agent's workflow, as it does for the AI Agent node from version 3 on. */
export const isAgentStep = (context: CallContext) =>
	context.getNode().rewireOutputLogTo === NodeConnectionTypes.AiTool;

/** Whether the calls of an agent belong to one execution. */
export function sharesExecution(context: IExecuteSingleFunctions): boolean {
	const executionId = context.getExecutionId() as string | undefined;
	return executionId !== undefined && (isAgentStep(context) || !isRunByN8n(context));
}

/** Whether n8n runs this node itself. Where an agent calls its tool itself, the data are those of the agent. */
export const isRunByN8n = (context: CallContext) =>
	context.getExecuteData().node.name === context.getNode().name;

/** How many tries of a node have ended with an error of its first item, by n8n's data of its input. */
const failedTries = new WeakMap<object, number>();

/** Whether n8n runs the node again, now that its first item is an error. Then it drops the output. */
export function isTriedAgain(context: IExecuteSingleFunctions): boolean {
	const data = context.getExecuteData();
	const count = (failedTries.get(data) ?? 0) + 1;
	failedTries.set(data, count);
	const { maxTries, retryOnFail } = context.getNode();
	return retryOnFail === true && count < Math.min(Math.max(2, Number(maxTries) || 3), 5);
}

/** Whether the node is part of a loop, which n8n ends without a word when a round has no output. */
export function isInLoop(context: IExecuteSingleFunctions): boolean {
	const { name } = context.getNode();
	const before = new Set(context.getParentNodes(name).map((node) => node.name));
	return context.getChildNodes(name).some((node) => before.has(node.name));
}
