import type {
	IExecuteFunctions,
	IExecutePaginationFunctions,
	IExecuteSingleFunctions,
	INodeExecutionData,
	INodeType,
} from 'n8n-workflow';
import { makeVideos } from '../adds/makeVideo';
import type { VideoJob } from '../adds/sendAdd';
import { pause } from '../api/pacing';
import { openService, type Service } from '../api/request';
import { DEFAULT_MAX_TRIES } from '../api/retry';
import type { ItemApi, Job, Operation, Operations, Outcome } from '../item/job';
import { checkJob, Run } from '../item/job';
import { forgetItems, isAgentCall, isRunByN8n, Ledger } from '../item/ledger';
import { createInputError, getBatching, getConnection, getMaxTries } from '../item/parameters';
import { addHints, createItems, explainFailure } from './outputs';

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
		return await answerAgent(this, runJobs([job]));
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
	if (!isAgentCall(context) || context.getNode().onError === 'stopWorkflow') return await work;
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
	return await runJobs(await prepareItems(context, operation));
}

/** Runs the items, and ends their try. */
async function runJobs(jobs: Job[]): Promise<INodeExecutionData[]> {
	const [first] = jobs;
	if (first === undefined) return [];
	try {
		stopAtProblem(jobs);
		const outcomes = await performJobs(jobs);
		stopAtFailure(jobs, first);
		addHints(first, jobs, outcomes);
		// After Stop, some items may not have been prepared.
		const hasSucceeded = outcomes.every((outcome) => 'output' in outcome);
		if (hasSucceeded && !first.run.signal.aborted) forgetItems(first.context);
		return jobs.flatMap((job, index) => createItems(job, outcomes[index] ?? { output: [] }));
	} finally {
		first.run.close();
	}
}

/** Videos are made in their turn (see `makeVideos`). Everything else runs side by side. */
async function performJobs(jobs: Job[]): Promise<Outcome[]> {
	if (jobs[0]?.operation.requestKind === 'add') {
		return await makeVideos(jobs as VideoJob[]);
	}
	const outcomes: Promise<Outcome>[] = [];
	for (const job of jobs) {
		await job.run.pauseBetweenBatches();
		outcomes.push(job.run.settle(job, perform(job)));
	}
	return await Promise.all(outcomes);
}

async function perform(job: Job): Promise<INodeExecutionData[]> {
	checkJob(job);
	return (await job.operation.perform?.(job)) ?? [];
}

/** @throws the error of the first item that cannot be sent, with the node set to stop */
function stopAtProblem(jobs: Job[]): void {
	const unusable = jobs.find(({ problem }) => problem !== undefined);
	if (unusable?.run.stopsOnError) throw explainFailure(unusable, unusable.problem).error;
}

/** @throws the error of the item that ended the run, once every add that was sent has its response */
function stopAtFailure(jobs: Job[], { run: { failure } }: Job): void {
	const failed = jobs.find(({ context }) => context.getItemIndex() === failure?.itemIndex);
	if (failed) throw explainFailure(failed, failure?.reason).error;
}

/** Maximum time of work during which n8n's event loop stands still. */
const MAX_WORK_MS = 10;

/**
 * Prepares all input items, before the first request is sent: nothing is spent when an item's parameters
 * stop the run. An item that cannot be sent has a `problem`.
 *
 * @returns the items; only the first ones when the execution was stopped meanwhile
 */
async function prepareItems(context: IExecuteFunctions, operation: Operation): Promise<Job[]> {
	const run = new Run(context);
	let problem: unknown;
	try {
		run.batching = getBatching(context);
	} catch (error) {
		// Fail each item: if the node throws, n8n passes its input on as a success.
		problem = error;
	}
	const jobs: Job[] = [];
	let pausedAt = performance.now();
	for (const [itemIndex, input] of context.getInputData().entries()) {
		// Evaluating the expressions of thousands of items takes seconds.
		if (performance.now() - pausedAt > MAX_WORK_MS) {
			await pause(1);
			pausedAt = performance.now();
		}
		if (run.signal.aborted) break;
		const item = createItemContext(context, itemIndex, input);
		jobs.push(prepareItem(item, operation, run, problem));
	}
	return jobs;
}

/** n8n's functions for a whole run, narrowed down to one item, as n8n's own routing narrows them. */
function createItemContext(
	context: IExecuteFunctions,
	itemIndex: number,
	input: INodeExecutionData,
): IExecuteSingleFunctions {
	// Some nodes omit `json`.
	const item = { ...input, json: (input as Partial<INodeExecutionData>).json ?? {} };
	// n8n's functions call one another through `this`, so the narrowed ones must be on the same object.
	return Object.assign(Object.create(context) as IExecuteSingleFunctions, {
		getItemIndex: () => itemIndex,
		getInputData: () => item,
		getNodeParameter: (name: string, fallback?: unknown, options?: object) =>
			context.getNodeParameter(name, itemIndex, fallback, options),
		// The credential's fields may be expressions over the item: a key for each customer.
		getCredentials: async <T extends object>(type: string) =>
			await context.getCredentials<T>(type, itemIndex),
	});
}

/** Reads the parameters of an item. Those that are wrong by now do not hide what became of an earlier add. */
function prepareItem(
	context: IExecuteSingleFunctions,
	operation: Operation,
	run: Run,
	problem?: unknown,
): Job {
	const ledger = new Ledger(context);
	let api: ItemApi = {
		maxTries: DEFAULT_MAX_TRIES,
		connection: {},
		signal: run.signal,
		takeSlot: run.takeRequestSlot,
	};
	let order: unknown;
	try {
		order = operation.prepare(context, ledger.isPaid);
		api = { ...api, maxTries: getMaxTries(context), connection: getConnection(context) };
	} catch (error) {
		problem ??= error;
	}
	// An add whose fate is unknown is never sent again.
	if (ledger.state.stage === 'unknown') problem = ledger.getFailure();
	const openOnce = async () => {
		const opened = await openService(context);
		const isOrder = run.isAgentCall && operation.requestKind === 'add';
		if (isOrder) ledger.setOrder(opened.account, (order as VideoJob['order']).body);
		return opened;
	};
	let service: Promise<Service> | undefined;
	const open = async () => await (service ??= openOnce());
	return { context, operation, run, ledger, order, api, open, problem };
}
