import type {
	DeclarativeRestApiSettings,
	IExecuteFunctions,
	IExecutePaginationFunctions,
	INodeExecutionData,
	INodeType,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import type { Operation, Operations } from './job';
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

/** The result that later versions return for a failed tool. */
function answerAgent({ message }: Error): INodeExecutionData[] {
	return [{ json: { error: message } }];
}

/**
 * The node's `pagination` function, through which n8n's own routing runs one item: an agent's call of
 * its tool. It refuses several items, since only `runItems` handles what they need of each other.
 */
export function createToolCall(operations: Operations) {
	return async function (
		this: IExecutePaginationFunctions,
		{ options }: DeclarativeRestApiSettings.ResultOptions,
	): Promise<INodeExecutionData[]> {
		// The stored values: n8n's routing does not evaluate expressions here, and would send its own request.
		const { resource, operation: name } = this.getNode().parameters as Record<string, string>;
		const operation = operations[resource ?? '']?.[name ?? ''];
		if (operation === undefined || countItems(this) > 1) {
			throw createInputError(
				this,
				"'Resource' and 'Operation' cannot be expressions here",
				'Choose both from the list. Nothing was sent.',
			);
		}
		return await runPrepared(this, operation, options);
	};
}

/** An agent's call runs one item, although the data are those of the agent. */
function countItems(context: IExecutePaginationFunctions): number {
	const { node, data } = context.getExecuteData();
	const isToolCall = node.name !== context.getNode().name;
	return isToolCall || node.executeOnce === true ? 1 : (data.main?.[0]?.length ?? 1);
}
