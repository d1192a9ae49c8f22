import type {
	DeclarativeRestApiSettings,
	IExecuteFunctions,
	IExecutePaginationFunctions,
	INodeExecutionData,
	INodeType,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { Breaks, pause } from '../api/pacing';
import { sendRequest } from '../api/request';
import { sendWithRetries } from '../api/retry';
import { performAdds } from './adds';
import type { Job, Operation, Operations, Outcome } from './job';
import { checkJob } from './job';
import { forgetItems, isRunByN8n } from './memory';
import { addHints, createItems, explainFailure, knowsDetails } from './outputs';
import { createInputError, getBatching } from './parameters';
import { completeItem, prepareItems } from './prepareItems';
import type { Batching } from './parameters';
import { guardSpending, runCall } from './spendingGuard';

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
		const job = completeItem(this, operation, options);
		return await runCall(job, async () => await runJobs([job]));
	};
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
	const jobs = await prepareItems(context, operation);
	let batching: Batching | undefined;
	try {
		batching = getBatching(context);
	} catch (problem) {
		// It fails each item: with an error output, n8n takes the input for a success of a node that throws.
		for (const job of jobs) job.problem ??= problem;
	}
	return await runJobs(jobs, batching);
}

/** Runs the items, and ends their try: a state is kept for the next one if any item failed. */
async function runJobs(
	jobs: Job[],
	batching: Batching = { size: 1, intervalMs: 0 },
): Promise<INodeExecutionData[]> {
	const outcomes: Outcome[] = [];
	try {
		await stopAtProblem(jobs);
		await guardSpending(jobs);
		await stopAtProblem(jobs);
		outcomes.push(...(await performJobs(jobs, batching)));
	} finally {
		for (const [index, job] of jobs.entries()) {
			const outcome = outcomes[index];
			job.memory.close(outcome !== undefined && 'output' in outcome);
		}
	}
	const [first] = jobs;
	if (first === undefined) return [];
	await stopAtFailure(jobs, first);
	addHints(first, jobs, outcomes);
	// After Stop, some items may not have been prepared.
	const hasSucceeded = outcomes.every((outcome) => 'output' in outcome);
	if (hasSucceeded && !first.run.signal.aborted) forgetItems(first.context);
	const outputs = outcomes.map(async (outcome, index) => await createItems(jobs[index], outcome));
	return (await Promise.all(outputs)).flat();
}

/** Adds wait for their turn (see `performAdds`). Everything else runs side by side. */
async function performJobs(jobs: Job[], batching: Batching): Promise<Outcome[]> {
	if (jobs[0]?.operation.requestKind === 'add') return await performAdds(jobs, batching);
	const outcomes: Promise<Outcome>[] = [];
	const breaks = new Breaks();
	for (const [index, job] of jobs.entries()) {
		if (index > 0 && index % batching.size === 0) await pause(batching.intervalMs, job.run.signal);
		// Some operations evaluate expressions before their first request.
		await breaks.takeDue();
		outcomes.push(job.run.settle(job, perform(job)));
	}
	return await Promise.all(outcomes);
}

async function perform(job: Job): Promise<INodeExecutionData[]> {
	checkJob(job);
	return await (job.operation.perform?.(job) ?? sendDeclaredRequest(job));
}

/** Sends the declared request by the retry policy, and runs the declared steps for its response. */
export async function sendDeclaredRequest(job: Job): Promise<INodeExecutionData[]> {
	const { operation, maxTries, run } = job;
	return await sendWithRetries(async () => await run.request(async () => await sendOnce(job)), {
		requestKind: operation.requestKind,
		maxTries,
		signal: run.signal,
	});
}

async function sendOnce({
	connection,
	context,
	operation,
	request,
}: Job): Promise<INodeExecutionData[]> {
	const response = await sendRequest(context, { ...request, ...connection });
	let output: INodeExecutionData[] = [];
	for (const step of operation.routing.output?.postReceive ?? []) {
		output = await step.call(context, output, response);
	}
	return output;
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
