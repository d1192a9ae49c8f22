import type {
	IExecuteFunctions,
	IExecutePaginationFunctions,
	INodeExecutionData,
	INodeType,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { runCall } from '../adds/creditsToKeep';
import { makeVideos } from '../adds/makeVideo';
import type { VideoOrder } from '../adds/order';
import { pause } from '../api/pacing';
import type { Job, Operation, Operations, Outcome } from '../item/job';
import { checkJob, Run } from '../item/job';
import { forgetItems, isRunByN8n } from '../item/ledger';
import type { Batching } from '../item/parameters';
import { createInputError, getBatching } from '../item/parameters';
import { addHints, createItems, explainFailure } from './outputs';
import { prepareItem, prepareItems } from './prepareItems';

/**
 * Has n8n run every operation for all items by `runItems`, not by its own routing, which evaluates
 * each parameter's expression several times for an item (`npm run bench -- items`).
 */
export function createCustomOperations(
	operations: Operations,
): NonNullable<INodeType['customOperations']> {
	const run = (operation: Operation) =>
		async function (this: IExecuteFunctions) {
			return [await answerAgent(this, runItems(this, operation))];
		};
	return Object.fromEntries(
		Object.entries(operations).map(([resource, byName]) => [
			resource,
			Object.fromEntries(Object.entries(byName).map(([name, each]) => [name, run(each)])),
		]),
	);
}

/**
 * The node's `pagination` function, through which n8n's own routing runs one item: an agent's call of
 * its tool. It refuses several items, since only `runItems` handles what they need of each other.
 */
export function createToolCall(operations: Operations) {
	return async function (this: IExecutePaginationFunctions): Promise<INodeExecutionData[]> {
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
		const job = prepareItem(this, operation, new Run(this));
		return await answerAgent(
			this,
			runCall(job, async () => await runJobs([job])),
		);
	};
}

/**
 * The failure of an agent's call is its answer: some agents drop the error of a tool that throws, and their
 * model would read nothing. Only a tool that is set to stop the workflow throws.
 */
async function answerAgent(
	context: IExecuteFunctions | IExecutePaginationFunctions,
	work: Promise<INodeExecutionData[]>,
): Promise<INodeExecutionData[]> {
	const isAgentCall =
		!isRunByN8n(context) || context.getNode().rewireOutputLogTo === NodeConnectionTypes.AiTool;
	if (!isAgentCall || context.getNode().onError === 'stopWorkflow') return await work;
	return await work.catch((error: unknown) => [{ json: { error: (error as Error).message } }]);
}

/** An agent's call runs one item, although the data are those of the agent. */
function countItems(context: IExecutePaginationFunctions): number {
	const { node, data } = context.getExecuteData();
	return isRunByN8n(context) && node.executeOnce !== true ? (data.main?.[0]?.length ?? 1) : 1;
}

/**
 * Runs one operation for all input items.
 *
 * @returns the output of all items, in the order of the items
 * @throws the error of the first item that failed, with the node set to stop
 */
async function runItems(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<INodeExecutionData[]> {
	let batching = NO_BATCHING;
	let problem: unknown;
	try {
		batching = getBatching(context);
	} catch (error) {
		// Fail each item: if the node throws, n8n passes its input on as a success.
		problem = error;
	}
	return await runJobs(await prepareItems(context, operation, problem), batching);
}

const NO_BATCHING: Batching = { size: 1, intervalMs: 0 };

/** Runs the items, and ends their try. */
async function runJobs(jobs: Job[], batching = NO_BATCHING): Promise<INodeExecutionData[]> {
	const [first] = jobs;
	if (first === undefined) return [];
	await stopAtProblem(jobs);
	const outcomes = await performJobs(jobs, batching);
	await stopAtFailure(jobs, first);
	addHints(first, jobs, outcomes);
	// After Stop, some items may not have been prepared.
	const hasSucceeded = outcomes.every((outcome) => 'output' in outcome);
	if (hasSucceeded && !first.run.signal.aborted) forgetItems(first.context);
	const outputs = outcomes.map(async (outcome, index) => await createItems(jobs[index], outcome));
	return (await Promise.all(outputs)).flat();
}

/** Videos are made in their turn (see `makeVideos`). Everything else runs side by side. */
async function performJobs(jobs: Job[], batching: Batching): Promise<Outcome[]> {
	if (jobs[0]?.operation.requestKind === 'add') {
		return await makeVideos(jobs as Job<VideoOrder>[], batching);
	}
	const outcomes: Promise<Outcome>[] = [];
	for (const [index, job] of jobs.entries()) {
		if (index > 0 && index % batching.size === 0) await pause(batching.intervalMs, job.run.signal);
		outcomes.push(job.run.settle(job, perform(job)));
	}
	return await Promise.all(outcomes);
}

async function perform(job: Job): Promise<INodeExecutionData[]> {
	checkJob(job);
	return (await job.operation.perform?.(job)) ?? [];
}

/** @throws the error of the first item that cannot be sent, with the node set to stop */
async function stopAtProblem(jobs: Job[]): Promise<void> {
	const unusable = jobs.find(({ problem }) => problem !== undefined);
	if (unusable?.run.stopsOnError) throw (await explainFailure(unusable, unusable.problem)).error;
}

/** @throws the error of the item that ended the run, once every add that was sent has its response */
async function stopAtFailure(jobs: Job[], { run: { failure } }: Job): Promise<void> {
	if (failure === undefined) return;
	const failed = jobs.find(({ context }) => context.getItemIndex() === failure.itemIndex);
	if (failed) throw (await explainFailure(failed, failure.reason)).error;
}
