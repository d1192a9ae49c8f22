import type {
	IDataObject,
	IExecuteFunctions,
	IExecutePaginationFunctions,
	IExecuteSingleFunctions,
	INodeExecutionData,
	INodeParameters,
} from 'n8n-workflow';
import { pause, untilAborted } from '../api/pacing';
import { openService, type Service } from '../api/request';
import { DEFAULT_MAX_TRIES } from '../api/retry';
import { type Job, type Operation, type Operations, type Outcome, Run } from '../item/job';
import { forgetItems, Ledger } from '../item/ledger';
import { createInputError, getBatching, getConnection, getMaxTries } from '../item/parameters';
import { isAgentCall } from '../n8n/calls';
import type { RunContext } from '../n8n/execution';
import { nameVideosAtStop } from '../n8n/whileRunning';
import { addHints, createError, createItems } from './outputs';

/** Runs each operation for all items. n8n's own routing evaluates an expression several times (`npm run bench -- items`). */
export function createCustomOperations(operations: Operations) {
	const run = (operation: Operation) =>
		async function (this: IExecuteFunctions) {
			return [await answerAgent(this, prepareItems(this, operation).then(runJobs))];
		};
	return Object.fromEntries(
		Object.entries(operations).map(([resource, byName]) => [
			resource,
			Object.fromEntries(Object.entries(byName).map(([name, each]) => [name, run(each)])),
		]),
	);
}

/** The node's `pagination` function, through which n8n's own routing runs one item: an agent's call of its tool. */
export function createToolCall(operations: Operations) {
	return async function (this: IExecutePaginationFunctions): Promise<INodeExecutionData[]> {
		// The stored values: n8n's routing does not evaluate expressions here, and would send its own request.
		const { resource, operation: name } = this.getNode().parameters as Record<string, string>;
		const operation = operations[resource ?? '']?.[name ?? ''];
		// n8n's routing runs a node on the canvas, with all items, only if an expression names its operation.
		if (operation === undefined) {
			throw createInputError(
				this,
				"'Resource' and 'Operation' cannot be expressions here",
				'Choose both from the list. Nothing was sent.',
			);
		}
		return await answerAgent(this, runJobs([prepareItem(this, operation, new Run(this))]));
	};
}

/** The failure of an agent's call is its answer: some agents drop the error of a tool that throws. */
async function answerAgent(context: RunContext, work: Promise<INodeExecutionData[]>) {
	if (!isAgentCall(context) || context.getNode().onError === 'stopWorkflow') return await work;
	return await work.catch((error: unknown) => [{ json: { error: (error as Error).message } }]);
}

/** Runs the items, and ends their try. @throws the error of the item that ended it, with the node set to stop */
async function runJobs(jobs: Job[]): Promise<INodeExecutionData[]> {
	const [first] = jobs;
	if (first === undefined) return [];
	const { context, run } = first;
	const stopNaming = nameVideosAtStop(context, () =>
		jobs.flatMap(({ ledger: { state } }) =>
			state.stage === 'queued' && !state.endedAs ? (state.queueId ?? []) : [],
		),
	);
	try {
		const unusable = jobs.find(({ problem }) => problem !== undefined);
		if (unusable) run.end(unusable, unusable.problem);
		const outcomes = run.failure ? [] : await performJobs(first, jobs);
		// By now, every add that was sent has its response.
		if (run.failure) throw createError(run.failure.job, run.failure.reason);
		addHints(first, outcomes);
		// After Stop, some items may not have been prepared.
		const hasSucceeded = outcomes.every((outcome) => 'output' in outcome);
		if (hasSucceeded && !run.signal.aborted) forgetItems(context);
		return outcomes.flatMap(createItems);
	} finally {
		stopNaming();
		run.close();
	}
}

async function performJobs({ operation, run }: Job, jobs: Job[]): Promise<Outcome[]> {
	if (operation.performAll) return await operation.performAll(jobs);
	const outcomes: Promise<Outcome>[] = [];
	for (const job of jobs) {
		await run.pauseBetweenBatches();
		outcomes.push(run.perform(job, async () => (await operation.perform?.(job)) ?? []));
	}
	return await Promise.all(outcomes);
}

/** Maximum time for which n8n's event loop stands still: evaluating the expressions of thousands of items takes seconds. */
const MAX_WORK_MS = 10;

/** Prepares all input items before the first request; only the first ones if the execution is stopped meanwhile. */
async function prepareItems(context: IExecuteFunctions, operation: Operation): Promise<Job[]> {
	const run = new Run(context);
	let problem: unknown;
	try {
		run.batching = getBatching(context);
	} catch (error) {
		// Fail each item: if the node throws, n8n passes its input on as a success.
		problem = error;
	}
	const { parameters } = context.getNode();
	const jobs: Job[] = [];
	let pausedAt = performance.now();
	for (const [itemIndex, input] of context.getInputData().entries()) {
		if (performance.now() - pausedAt > MAX_WORK_MS) {
			await pause(1);
			pausedAt = performance.now();
		}
		if (run.signal.aborted) break;
		const item = createItemContext(context, parameters, itemIndex, input);
		jobs.push(prepareItem(item, operation, run, problem));
	}
	return jobs;
}

/** The expression that n8n's editor writes when a field of the input is dragged into a parameter. */
const FIELD_OF_ITEM = /^=\{\{ ?\$json\.(\w+) ?\}\}$/;

/** The value of a parameter that is such a field: n8n takes longer to evaluate it than for a request (`npm run bench -- items`). */
function findField(parameter: unknown, json: IDataObject): unknown {
	const [, field] = FIELD_OF_ITEM.exec(typeof parameter === 'string' ? parameter : '') ?? [];
	const value = field === undefined ? undefined : json[field];
	return ['string', 'number', 'boolean'].includes(typeof value) ? value : undefined;
}

/** n8n's functions for a whole run, narrowed down to one item, as n8n's own routing narrows them. */
function createItemContext(
	context: IExecuteFunctions,
	parameters: INodeParameters,
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
			// With options, the caller wants the expression itself, or a value of another form.
			(options === undefined ? findField(parameters[name], item.json) : undefined) ??
			context.getNodeParameter(name, itemIndex, fallback, options),
		// The credential's fields may be expressions over the item: a key for each customer.
		getCredentials: async <T extends object>(type: string) =>
			await context.getCredentials<T>(type, itemIndex),
	});
}

/** Reads an item's parameters. An item that cannot be sent has a `problem`. */
function prepareItem(
	context: IExecuteSingleFunctions,
	operation: Operation,
	run: Run,
	problem?: unknown,
): Job {
	const ledger = new Ledger(context);
	const { outage, signal, takeRequestSlot: takeSlot } = run;
	const api: Job['api'] = { maxTries: DEFAULT_MAX_TRIES, connection: {}, signal, takeSlot, outage };
	let order: unknown;
	try {
		order = operation.prepare(context, ledger.isPaid);
		api.maxTries = getMaxTries(context);
		api.connection = getConnection(context);
	} catch (error) {
		problem ??= error;
	}
	// It is never sent again. Parameters that are wrong by now do not hide that.
	problem = ledger.findUnknownFate() ?? problem;
	let opening: Promise<Service> | undefined;
	let service: Service | undefined;
	// A look-up that n8n does not answer ends with the run. What has been read stays.
	const open = async () =>
		(service ??= await untilAborted((opening ??= openService(context)), signal));
	return { context, operation, run, ledger, order, api, open, problem };
}
