import type { IExecuteFunctions, IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';
import { LongWork } from '../api/pacing';
import type { Service } from '../api/request';
import { openService } from '../api/request';
import { DEFAULT_MAX_TRIES } from '../api/retry';
import type { ItemApi, Job, Operation } from '../item/job';
import { Run } from '../item/job';
import { Ledger } from '../item/ledger';
import { getConnection, getMaxTries } from '../item/parameters';

/**
 * Prepares all input items, before the first request is sent: nothing is spent when an item's parameters
 * stop the run. An item that cannot be sent has a `problem`.
 *
 * @param problem what keeps all of them from being sent
 * @returns the items; only the first ones when the execution was stopped meanwhile
 */
export async function prepareItems(
	context: IExecuteFunctions,
	operation: Operation,
	problem?: unknown,
): Promise<Job[]> {
	const run = new Run(context);
	const jobs: Job[] = [];
	const work = new LongWork();
	for (const [itemIndex, input] of context.getInputData().entries()) {
		// Evaluating the expressions of thousands of items takes seconds.
		await work.yieldIfDue();
		if (run.signal.aborted) break;
		const item = createItemContext(context, itemIndex, input);
		jobs.push(prepareItem(item, operation, run, problem));
	}
	return jobs;
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

/** Reads the parameters of an item. Those that are wrong by now do not hide what became of an earlier add. */
export function prepareItem(
	context: IExecuteSingleFunctions,
	operation: Operation,
	run: Run,
	problem?: unknown,
): Job {
	const ledger = new Ledger(context);
	let api: ItemApi = {
		...{ maxTries: DEFAULT_MAX_TRIES, connection: {} },
		...{ signal: run.signal, takeSlot: run.takeRequestSlot },
	};
	let order: unknown;
	try {
		order = operation.prepare(context, ledger.isPaid);
		if (run.isAgentCall) ledger.findCall(order);
		api = { ...api, maxTries: getMaxTries(context), connection: getConnection(context) };
	} catch (error) {
		problem ??= error;
	}
	// An add whose fate is unknown is never sent again.
	if (ledger.state.stage === 'unknown') problem = ledger.getFailure();
	const open = createOpen(context, api);
	return { context, operation, run, ledger, order, api, open, problem };
}

function createOpen(context: IExecuteSingleFunctions, api: ItemApi): Job['open'] {
	let service: Promise<Service> | undefined;
	return async () => await (service ??= openService(context, api));
}
