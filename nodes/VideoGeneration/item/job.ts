import type {
	IExecuteSingleFunctions,
	INodeExecutionData,
	INodePropertyRouting,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import type { TakeSlot } from '../api/pacing';
import { createSlots, onAbort } from '../api/pacing';
import type { ApiOptions, Service } from '../api/request';
import type { RequestKind } from '../failures/failure';
import { CANCELLED } from '../failures/failure';
import type { FailureContext } from '../failures/texts';
import type { Ledger } from './ledger';
import { isRunByN8n } from './ledger';

/** Identifies an item in its error's `details`. */
interface ItemIds {
	queueId?: string;
	projectId?: string;
	videoUrl?: string;
}

/** One operation of the node: what n8n is told of its request, and what it does for one item. */
export interface Operation<Order = unknown> {
	requestKind: RequestKind;
	routing: INodePropertyRouting;
	/** The parts of its error texts that depend on the operation. */
	texts?: Omit<FailureContext, 'requestKind' | 'mayBeQueued'>;
	/**
	 * Reads and checks the item's parameters.
	 *
	 * @param isPaid whether an earlier try has paid for its video: what is only for sending is not read then
	 * @throws a NodeOperationError, before anything is sent
	 */
	prepare(context: IExecuteSingleFunctions, isPaid: boolean): Order;
	getIds?(order: Order): ItemIds;
	/** Does the work of one item. Videos are made by `makeVideos`. */
	perform?(job: Job<Order>): Promise<INodeExecutionData[]>;
}

/** Operations by resource and operation, as the parameters name them. */
export type Operations = Record<string, Record<string, Operation>>;

/** How the requests of an item are sent. */
export type ItemApi = ApiOptions & Required<Pick<ApiOptions, 'connection' | 'takeSlot' | 'signal'>>;

/** One item's work. */
export interface Job<Order = unknown> {
	readonly operation: Operation<Order>;
	readonly context: IExecuteSingleFunctions;
	readonly run: Run;
	/** The item's parameters, checked. */
	readonly order: Order;
	readonly api: ItemApi;
	/** The item's progress in this try and the ones before it. */
	readonly ledger: Ledger;
	/** Opens the item's credential, once. @throws a RequestFailure */
	readonly open: () => Promise<Service>;
	/** Why the item cannot be sent. */
	readonly problem?: unknown;
}

/** The result of an item's work. */
export type Outcome = { output: INodeExecutionData[] } | { reason: unknown };

/** @throws the problem that keeps an item from being sent */
export function checkJob({ problem, run }: Job): void {
	if (problem !== undefined) throw problem as Error;
	if (run.signal.aborted) throw CANCELLED.with({ tries: 0 });
}

/** Writes a line to n8n's log. */
export function logInfo({ context }: Job, text: string): void {
	try {
		context.logger.info(`${text} in execution ${context.getExecutionId()}`);
	} catch {
		// The item's work goes on, whatever becomes of n8n's log.
	}
}

/** More requests at once are not faster, and take more memory (`npm run bench -- items`). */
const REQUESTS_AT_ONCE = 64;

/** More downloads at once take more memory, and finish no sooner: n8n may hold each file in memory while it stores it. */
export const DOWNLOADS_AT_ONCE = 4;

/** One try of the node with all its input items: the state that the items share. */
export class Run {
	private readonly ending = new AbortController();

	/** n8n's object for all tries of this execution of the node; an agent's own call has none. */
	readonly owner: object;

	/** Aborted when the execution is stopped, or when a failed item ends the run. */
	readonly signal = this.ending.signal;

	/** Whether the first failed item ends the run, as the node's "On Error" is set. */
	readonly stopsOnError: boolean;

	/** Whether an agent's model reads the result: n8n or the agent itself may run the node. */
	readonly isAgentCall: boolean;

	/** Whether n8n offers to retry the execution once an item has failed. */
	readonly canBeRetried: boolean;

	/** The failed item that ended the run. */
	failure: { itemIndex: number; reason: unknown } | undefined;

	/** How long its items have waited for places that other executions had, added up. */
	waitedForOthersMs = 0;

	readonly takeDownloadSlot = createSlots(DOWNLOADS_AT_ONCE);

	private readonly requestSlots = createSlots(REQUESTS_AT_ONCE);

	private readonly shared = new Map<string, { value: Promise<unknown>; readAt: number }>();

	constructor(
		context: Pick<
			IExecuteSingleFunctions,
			'getExecutionCancelSignal' | 'continueOnFail' | 'getNode' | 'getExecuteData'
		>,
	) {
		const isNode = isRunByN8n(context);
		this.owner = isNode ? context.getExecuteData() : this;
		// Combined signals that nothing aborts would outlive the run in Node.js.
		onAbort(context.getExecutionCancelSignal(), () => {
			this.ending.abort();
		});
		this.stopsOnError = !context.continueOnFail();
		this.isAgentCall =
			!isNode || context.getNode().rewireOutputLogTo === NodeConnectionTypes.AiTool;
		this.canBeRetried = this.stopsOnError && !this.isAgentCall;
	}

	/** Sends a request as soon as a slot is free. @throws a RequestFailure when the run has ended meanwhile */
	readonly takeRequestSlot: TakeSlot = async (send) =>
		await this.requestSlots(async () => {
			if (this.signal.aborted) throw CANCELLED.with({ tries: 0 });
			return await send();
		});

	/** Fetches something once for all items that ask for it within a time. */
	async share<T>(key: string, maxAgeMs: number, fetch: () => Promise<T>): Promise<T> {
		const known = this.shared.get(key);
		if (known && performance.now() < known.readAt + maxAgeMs) return (await known.value) as T;
		const value = fetch();
		this.shared.set(key, { value, readAt: performance.now() });
		return await value;
	}

	/** Waits for an item's work. */
	async settle(job: Job, work: Promise<INodeExecutionData[]>): Promise<Outcome> {
		try {
			return { output: await work };
		} catch (reason) {
			this.end(job, reason);
			return { reason };
		}
	}

	/** With the node set to stop, the first failed item ends the run. */
	end({ context }: Job, reason: unknown): void {
		if (!this.stopsOnError || this.failure !== undefined) return;
		this.failure = { itemIndex: context.getItemIndex(), reason };
		this.ending.abort();
	}
}
