import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecuteFunctions,
	IExecuteSingleFunctions,
	INodeExecutionData,
} from 'n8n-workflow';
import * as n8nWorkflow from 'n8n-workflow';
import { pause } from '../api/pacing';
import { addVideo, finishAdd } from './adds';
import { sendDeclaredRequest } from './declaredRequest';
import { explainFailure } from './explainFailure';
import type { Job, Operation } from './job';
import { checkJob } from './job';
import { forgetItems } from './memory';
import { completeItem, prepareItems } from './prepareItems';
import { addReceipt } from './receipt';
import { getBatching } from './requestOptions';
import { guardSpending } from './spendingGuard';

/** What came of one item's work. */
type Outcome<T = INodeExecutionData[]> = { output: T } | { reason: unknown };

/**
 * Runs one operation for all input items.
 *
 * @returns the output of all items, in the order of the items
 * @throws the error of the first item that failed, with the node set to stop
 */
export async function runItems(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<INodeExecutionData[]> {
	return await runJobs(await prepareItems(context, operation), getBatching(context));
}

/** Runs one operation for one item, whose request n8n's own routing has prepared. */
export async function runPrepared(
	context: IExecuteSingleFunctions,
	operation: Operation,
	options: DeclarativeRestApiSettings.ResultOptions['options'],
): Promise<INodeExecutionData[]> {
	return await runJobs([completeItem(context, operation, options)]);
}

async function runJobs(
	jobs: Job[],
	batching = { size: 1, intervalMs: 0 },
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
	addReceipt(jobs);
	// When the execution was stopped, there may be items that were not even prepared.
	const hasSucceeded = outcomes.every((outcome) => 'output' in outcome);
	if (hasSucceeded && !first.run.signal.aborted) forgetItems(first.context);
	const outputs = outcomes.map(async (outcome, index) => await createItems(jobs[index], outcome));
	return (await Promise.all(outputs)).flat();
}

/**
 * Adds are sent one at a time, in item order; items that are queued already wait and download
 * meanwhile. Everything else runs side by side.
 */
async function performJobs(
	jobs: Job[],
	{ size, intervalMs }: { size: number; intervalMs: number },
): Promise<Outcome[]> {
	const outcomes: Promise<Outcome>[] = [];
	for (const [index, job] of jobs.entries()) {
		if (index > 0 && index % size === 0) await pause(intervalMs, job.run.signal);
		if (job.operation.requestKind === 'add') {
			const added = await settle(job, addVideo(job));
			outcomes.push(
				'output' in added ? settle(job, finishAdd(job, added.output)) : Promise.resolve(added),
			);
		} else {
			outcomes.push(settle(job, perform(job)));
		}
	}
	return await Promise.all(outcomes);
}

async function perform(job: Job): Promise<INodeExecutionData[]> {
	checkJob(job);
	return await (job.operation.perform?.(job) ?? sendDeclaredRequest(job));
}

/** Waits for an item's work, and ends the run when it fails and the node is set to stop. */
async function settle<T>({ context, run }: Job, work: Promise<T>): Promise<Outcome<T>> {
	try {
		return { output: await work };
	} catch (reason) {
		run.noteFailure(context.getItemIndex(), reason);
		return { reason };
	}
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
