import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecuteFunctions,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
} from 'n8n-workflow';
import * as n8nWorkflow from 'n8n-workflow';
import { Breaks, pause } from '../api/pacing';
import { REQUEST_DEFAULTS, sendRequest } from '../api/request';
import { DEFAULT_MAX_TRIES, sendWithRetries } from '../api/retry';
import { RequestFailure } from '../failures/failure';
import { explainFailure } from './explainFailure';
import { queueVideo } from './adds';
import { finishVideo } from './finishVideo';
import { createItemContext } from './itemContext';
import { forgetItems, ItemMemory } from './memory';
import type { Job, Operation } from './operation';
import { getMaxTries } from './parameters';
import { getBatching, getConnection } from './requestOptions';
import { addReceipt } from './receipt';
import { checkJob, Run } from './run';
import { getSpendingLimit, guardSpending } from './spendingGuard';
import { getUniqueKey } from './uniqueKey';

type Outcome = { output: INodeExecutionData[] } | { reason: unknown };

/**
 * Runs one operation for all input items. Every item's request is prepared before the first one is
 * sent, so that nothing is spent when an item's parameters stop the run.
 *
 * @returns the output of all items, in the order of the items
 * @throws the error of the first item that failed, with the node set to stop
 */
export async function runItems(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<INodeExecutionData[]> {
	const run = new Run(context);
	const jobs: Job[] = [];
	const breaks = new Breaks();
	for (const [itemIndex, input] of context.getInputData().entries()) {
		// Evaluating the expressions of thousands of items takes seconds.
		await breaks.takeDue();
		if (run.signal.aborted) break;
		const item = createItemContext(context, itemIndex, input);
		jobs.push(await prepareItem(item, operation, run));
	}
	return await runJobs(jobs, getBatching(context));
}

/** Runs one operation for one item, whose request n8n's own routing has prepared. */
export async function runPrepared(
	context: IExecuteSingleFunctions,
	operation: Operation,
	{ url, qs, body, headers }: DeclarativeRestApiSettings.ResultOptions['options'],
): Promise<INodeExecutionData[]> {
	const prepared = { url, qs, body, headers } as Partial<IHttpRequestOptions>;
	const request = { ...getDeclaredRequest(operation), ...prepared };
	return await runJobs([createJob(context, operation, request, new Run(context))]);
}

/** Runs the declared steps before the request, as n8n's routing does. */
async function prepareItem(
	context: IExecuteSingleFunctions,
	operation: Operation,
	run: Run,
): Promise<Job> {
	let request = getDeclaredRequest(operation);
	try {
		for (const step of operation.routing.send?.preSend ?? []) {
			request = await step.call(context, request);
		}
	} catch (problem) {
		return createJob(context, operation, request, run, problem);
	}
	return createJob(context, operation, request, run);
}

function getDeclaredRequest({ routing }: Operation): IHttpRequestOptions {
	const declared = { ...REQUEST_DEFAULTS, ...routing.request, qs: {}, body: {}, headers: {} };
	return declared as unknown as IHttpRequestOptions;
}

/** @param problem why the item cannot be sent */
function createJob(
	context: IExecuteSingleFunctions,
	operation: Operation,
	prepared: IHttpRequestOptions,
	run: Run,
	problem?: unknown,
): Job {
	const base = { context, operation, run };
	const none = {
		...{ maxTries: DEFAULT_MAX_TRIES, settings: undefined },
		...{ wait: undefined, spending: undefined, uniqueKey: undefined },
	};
	const createFailed = (reason: unknown): Job => {
		const memory = new ItemMemory({ ...base, request: prepared });
		return { ...base, ...none, request: prepared, memory, problem: reason };
	};
	if (problem !== undefined) return createFailed(problem);
	try {
		const isAdd = operation.requestKind === 'add';
		const request = { ...prepared, ...getConnection(context, operation.requestKind) };
		const parameters = {
			maxTries: getMaxTries(context),
			settings: operation.getSettings?.(context),
			wait: operation.getWait?.(context),
			spending: isAdd ? getSpendingLimit(context) : undefined,
			uniqueKey: isAdd ? getUniqueKey(context) : undefined,
		};
		return { ...base, ...parameters, request, memory: new ItemMemory({ ...base, request }) };
	} catch (reason) {
		return createFailed(reason);
	}
}

/**
 * Adds are sent one at a time, in item order; items that are queued already wait and download
 * meanwhile. Everything else runs side by side.
 */
async function runJobs(
	jobs: Job[],
	{ size, intervalMs } = { size: 1, intervalMs: 0 },
): Promise<INodeExecutionData[]> {
	const outcomes: Promise<Outcome>[] = [];
	let settled: Outcome[] = [];
	try {
		await stopAtProblem(jobs);
		await guardSpending(jobs);
		await stopAtProblem(jobs);
		for (const [index, job] of jobs.entries()) {
			if (index > 0 && index % size === 0) await pause(intervalMs, job.run.signal);
			if (job.operation.requestKind === 'add') {
				const queued = queueVideo(job);
				outcomes.push(settle(job, completeAdd(job, queued)));
				await queued.catch((reason: unknown) => {
					job.run.noteFailure(job, reason);
				});
			} else {
				outcomes.push(settle(job, perform(job)));
			}
		}
		settled = await Promise.all(outcomes);
	} finally {
		for (const [index, job] of jobs.entries()) {
			const outcome = settled[index];
			job.memory.close(outcome !== undefined && 'output' in outcome);
		}
	}
	const [first] = jobs;
	const failure = first?.run.failure;
	// Every add that was sent has its response now, so the list of paid videos is complete.
	if (failure !== undefined) throw (await explainFailure(failure.job, failure.reason)).error;
	addReceipt(jobs);
	// When the execution was stopped, there may be items that were not even prepared.
	const hasSucceeded = settled.every((outcome) => 'output' in outcome);
	if (first && hasSucceeded && !first.run.signal.aborted) forgetItems(first.context);
	const outputs = settled.map(async (outcome, index) => await createItems(jobs[index], outcome));
	return (await Promise.all(outputs)).flat();
}

/** @throws the error of the first item that cannot be sent, with the node set to stop */
async function stopAtProblem(jobs: Job[]): Promise<void> {
	const unusable = jobs.find(({ problem }) => problem !== undefined);
	if (unusable?.run.stopsOnError) throw (await explainFailure(unusable, unusable.problem)).error;
}

/** Waits for an item's work, and ends the run when it fails and the node is set to stop. */
async function settle(job: Job, work: Promise<INodeExecutionData[]>): Promise<Outcome> {
	try {
		return { output: await work };
	} catch (reason) {
		job.run.noteFailure(job, reason);
		return { reason };
	}
}

async function completeAdd(
	job: Job,
	queued: ReturnType<typeof queueVideo>,
): Promise<INodeExecutionData[]> {
	const { queueItem, account } = await queued;
	const { queueId, projectId } = job.memory.state;
	if (job.wait === undefined || queueId === undefined) return [{ json: queueItem }];
	const { status = 'pending', generationProgress, renderProgress } = queueItem;
	const details = { status, generationProgress, renderProgress };
	return await finishVideo(job, { queueId, projectId, account, details });
}

async function perform(job: Job): Promise<INodeExecutionData[]> {
	checkJob(job);
	const send = async () => await sendDeclaredRequest(job);
	return await (job.operation.perform?.(job, send) ?? send());
}

/** Sends the declared request by the retry policy, and runs the declared steps for its response. */
async function sendDeclaredRequest(job: Job): Promise<INodeExecutionData[]> {
	const { context, operation, request, maxTries, run } = job;
	const send = async () => {
		const response = await sendRequest(context, request);
		let output: INodeExecutionData[] = [];
		try {
			for (const step of operation.routing.output?.postReceive ?? []) {
				if (typeof step === 'function') output = await step.call(context, output, response);
			}
		} catch (error) {
			throw toResponseFailure(error);
		}
		return output;
	};
	return await sendWithRetries(async () => await run.request(send), {
		requestKind: operation.requestKind,
		maxTries,
		signal: run.signal,
	});
}

/** The request was sent, so an error that is not from our checks must not count as "not sent". */
function toResponseFailure(error: unknown): RequestFailure {
	if (error instanceof RequestFailure) return error;
	return new RequestFailure('unreadable', { httpCode: '200', found: 'other' });
}

/**
 * Whether this is n8n 2.36 or later, which takes an item with `error`, `message` and `details` for a
 * failed one. n8n does not tell its version, so two features of the same version do: an export of
 * n8n-workflow, and a method of the engine, since npm may have installed a newer n8n-workflow beside
 * this package than the engine's.
 */
export function knowsDetails(context: object): boolean {
	return 'redactedHeaders' in n8nWorkflow && 'isConsoleOutputRedacted' in context;
}

/** An item's output, linked to its input item; for a failed item, the data of its error. */
async function createItems(job: Job | undefined, outcome: Outcome): Promise<INodeExecutionData[]> {
	if (job === undefined) return [];
	const pairedItem = { item: job.context.getItemIndex() };
	if ('output' in outcome) {
		return outcome.output.map((item) => ({
			...item,
			json: withoutEmptyError(item.json),
			pairedItem,
		}));
	}
	const { error, details } = await explainFailure(job, outcome.reason);
	const { message, description } = error;
	const whatToDo = description ?? message;
	const json = knowsDetails(job.context)
		? { error: message, message: whatToDo, details }
		: { error: { message, details }, message: whatToDo };
	return [{ json, pairedItem }];
}

/** n8n takes an item with an empty `error` for a failed one, and runs the whole node again. */
function withoutEmptyError(json: IDataObject): IDataObject {
	if (json.error !== '' && json.error !== 0) return json;
	return Object.fromEntries(Object.entries(json).filter(([key]) => key !== 'error'));
}
