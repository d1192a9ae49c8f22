import type {
	DeclarativeRestApiSettings,
	IExecuteFunctions,
	IExecutePaginationFunctions,
	INodeExecutionData,
	INodeType,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import type { Operation, Operations } from './operation';
import { createInputError } from './parameters';
import { knowsDetails, runItems, runPrepared } from './runItems';

/**
 * Has n8n run every operation for all items by `runItems`, not by its own routing, which evaluates
 * each parameter's expression several times for an item (`npm run bench -- items`).
 */
export function createCustomOperations(
	operations: Operations,
): NonNullable<INodeType['customOperations']> {
	const run = (operation: Operation) =>
		async function (this: IExecuteFunctions) {
			const work = runItems(this, operation);
			return [await (isAgentEndedByErrors(this) ? work.catch(answerAgent) : work)];
		};
	return Object.fromEntries(
		Object.entries(operations).map(([resource, byName]) => [
			resource,
			Object.fromEntries(Object.entries(byName).map(([name, each]) => [name, run(each)])),
		]),
	);
}

/**
 * Whether an error of this tool would end the agent's whole execution, as before n8n 2.36. Later
 * versions give the agent's model the message instead, unless the tool is set to stop the workflow.
 */
function isAgentEndedByErrors(context: IExecuteFunctions): boolean {
	const { rewireOutputLogTo, onError } = context.getNode();
	const isToolCall = rewireOutputLogTo === NodeConnectionTypes.AiTool;
	return !knowsDetails(context) && isToolCall && onError !== 'stopWorkflow';
}

/** As later versions answer for a failed tool. */
function answerAgent({ message }: Error): INodeExecutionData[] {
	return [{ json: { error: message } }];
}

/**
 * The node's `pagination`, by which n8n's own routing runs one item: an agent's call of its tool.
 * What several items need of each other stands in `runItems` alone, so it refuses several.
 */
export function createToolCall(operations: Operations) {
	return async function (
		this: IExecutePaginationFunctions,
		{ options }: DeclarativeRestApiSettings.ResultOptions,
	): Promise<INodeExecutionData[]> {
		// As they are stored: n8n's routing does not evaluate them, and would send a request of its own.
		const { resource, operation: name } = this.getNode().parameters as Record<string, string>;
		const operation = operations[resource ?? '']?.[name ?? ''];
		if (operation === undefined || countItems(this) > 1) {
			throw createInputError(
				this,
				'"Resource" and "Operation" cannot be expressions here',
				'Choose both from the list. Nothing was sent.',
			);
		}
		return await runPrepared(this, operation, options);
	};
}

/** An agent's call runs one item, though the data are the agent's own. */
function countItems(context: IExecutePaginationFunctions): number {
	const { node, data } = context.getExecuteData();
	const isToolCall = node.name !== context.getNode().name;
	return isToolCall || node.executeOnce === true ? 1 : (data.main?.[0]?.length ?? 1);
}
