import type {
	DeclarativeRestApiSettings,
	IExecuteFunctions,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
} from 'n8n-workflow';
import { Breaks } from '../api/pacing';
import { REQUEST_DEFAULTS } from '../api/request';
import { DEFAULT_MAX_TRIES } from '../api/retry';
import type { Job, Operation } from './job';
import { Run } from './job';
import { ItemMemory } from './memory';
import { getCollection, getMaxTries, getConnection } from './parameters';
import { getSpendingLimit } from './spendingGuard';
import { getUniqueKey } from './uniqueKey';

/**
 * Prepares the requests of all input items, before the first one is sent: nothing is spent when an item's
 * parameters stop the run. An item that cannot be sent has a `problem`.
 *
 * @returns the items; only the first ones when the execution was stopped meanwhile
 */
export async function prepareItems(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<Job[]> {
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
	return jobs;
}

/** Completes an item whose request n8n's own routing has prepared. */
export function completeItem(
	context: IExecuteSingleFunctions,
	operation: Operation,
	{ url, qs, body, headers }: DeclarativeRestApiSettings.ResultOptions['options'],
): Job {
	const prepared = { url, qs, body, headers } as Partial<IHttpRequestOptions>;
	const request = { ...getDeclaredRequest(operation), ...prepared };
	return createJob(context, operation, request, new Run(context));
}

type Methods = Pick<
	IExecuteSingleFunctions,
	'getItemIndex' | 'getInputData' | 'getNodeParameter' | 'getCredentials'
>;

/** n8n's functions for a whole run, narrowed down to one item, as n8n's own routing narrows them. */
function createItemContext(
	context: IExecuteFunctions,
	itemIndex: number,
	input: INodeExecutionData,
): IExecuteSingleFunctions {
	// Some nodes omit `json`.
	const item = { ...input, json: (input as Partial<INodeExecutionData>).json ?? {} };
	const methods: Methods = {
		getItemIndex: () => itemIndex,
		getInputData: () => item,
		getNodeParameter: (name: string, fallback?: unknown, options?: object) =>
			context.getNodeParameter(name, itemIndex, fallback, options),
		// The credential's fields may be expressions over the item: a key for each customer.
		getCredentials: async <T extends object>(type: string) =>
			await context.getCredentials<T>(type, itemIndex),
	};
	// n8n's functions call one another through `this`, so the narrowed ones must be on the same object.
	return Object.assign(Object.create(context) as IExecuteSingleFunctions, methods);
}

/** The request that an operation declares, before its steps. */
function getDeclaredRequest({ routing }: Operation): IHttpRequestOptions {
	const declared = { ...REQUEST_DEFAULTS, ...routing.request, qs: {}, body: {}, headers: {} };
	return declared as unknown as IHttpRequestOptions;
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
		return createJob(context, operation, request, run, { problem });
	}
	return createJob(context, operation, request, run);
}

/**
 * An add that an earlier try has sent needs nothing that is for sending: parameters that are wrong by now
 * must not hide what became of it.
 *
 * @param unusable why the request cannot be sent
 */
function createJob(
	context: IExecuteSingleFunctions,
	operation: Operation,
	request: IHttpRequestOptions,
	run: Run,
	unusable?: { problem: unknown },
): Job {
	const memory = new ItemMemory(context, request, run.isAgentStep);
	const isAdd = operation.requestKind === 'add';
	const isSent = isAdd && (memory.state.queueId !== undefined || memory.isFateUnknown());
	const maxTries = DEFAULT_MAX_TRIES;
	const job: Job = { context, operation, run, memory, request, connection: {}, maxTries };
	try {
		if (unusable && !isSent) throw unusable.problem;
		const options = isSent
			? { maxTries: context.getNodeParameter('options.maxTries', DEFAULT_MAX_TRIES) }
			: getCollection(context, 'options');
		return {
			...job,
			connection: getConnection(context),
			maxTries: getMaxTries(context, options),
			wait: operation.getWait?.(context),
			...(isAdd &&
				!isSent && {
					spending: getSpendingLimit(context, options),
					uniqueKey: getUniqueKey(context, options),
				}),
		};
	} catch (problem) {
		return { ...job, problem: isAdd && memory.isFateUnknown() ? memory.getFailure() : problem };
	}
}
