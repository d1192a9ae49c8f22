import type {
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	INodeExecutionData,
	INodePropertyRouting,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { createSlots, onAbort } from '../api/pacing';
import type { ConnectionSettings } from '../api/request';
import { DOWNLOADS_AT_ONCE } from '../download/downloadVideo';
import type { RequestKind } from '../failures/failure';
import { CANCELLED } from '../failures/failure';
import type { FailureContext } from '../failures/texts';
import type { WaitSettings } from '../waiting/waitForVideo';
import type { ItemMemory } from './memory';
import { isRunByN8n } from './memory';

/** Identifies an item in its error's `details`. */
interface ItemIds {
	queueId?: string;
	projectId?: string;
	videoUrl?: string;
}

/** A step for a response, as n8n's routing declares it. */
export type ResponseStep = (
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
	response: IN8nHttpFullResponse,
) => Promise<INodeExecutionData[]>;

/** The declared request: its path, the steps before it is sent, and the steps for its response. */
interface Routing extends INodePropertyRouting {
	output?: { postReceive: ResponseStep[] };
}

/** One operation of the node: its declared request, and everything that a declaration cannot express. */
export interface Operation {
	requestKind: RequestKind;
	routing: Routing;
	/** The parts of its error texts that depend on the operation. */
	texts?: Omit<FailureContext, 'requestKind' | 'mayBeQueued'>;
	/** Of an add: gets how its video is waited for; undefined if it is not. */
	getWait?(context: IExecuteSingleFunctions): WaitSettings | undefined;
	getIds?(request: IHttpRequestOptions): ItemIds;
	/** Does the work of one item, if that is more than its declared request. Adds have `adds.ts`. */
	perform?(job: Job): Promise<INodeExecutionData[]>;
}

/** Operations by resource and operation, as the parameters name them. */
export type Operations = Record<string, Record<string, Operation>>;

/** "Credits to Keep" and "Credits per Video" of an item. */
export interface SpendingLimit {
	/** Undefined when the guard is off. */
	keep: number | undefined;
	cost: number;
}

/** What is left of an account's credits for the items of a run that are still to be sent. */
export interface Budget {
	/** The credits of the account at the beginning. */
	readonly remainingCredits: number;
	left: number;
	/** The number of videos of the run, and their cost. */
	readonly videos: number;
	readonly credits: number;
}

/** One item's work. */
export interface Job {
	readonly operation: Operation;
	readonly context: IExecuteSingleFunctions;
	readonly run: Run;
	readonly request: IHttpRequestOptions;
	/** The user's settings for every request of the item. */
	readonly connection: ConnectionSettings;
	/** What the item has reached in this try and the ones before it. */
	readonly memory: ItemMemory;
	readonly maxTries: number;
	/** How the video of an add is waited for; undefined if it is not. */
	readonly wait?: WaitSettings | undefined;
	/** The limit for the spending guard, of an add that is still to be sent. */
	readonly spending?: SpendingLimit;
	/** "Unique Key" of such an add; undefined where it is not set. */
	readonly uniqueKey?: string | undefined;
	/** Undefined when no item of the account is guarded. */
	budget?: Budget;
	/** Why the item cannot be sent. */
	problem?: unknown;
}

/** The result of an item's work. */
export type Outcome<T = INodeExecutionData[]> = { output: T } | { reason: unknown };

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

/** One try of the node with all its input items: the state that the items share. */
export class Run {
	private readonly end = new AbortController();

	/** n8n's object for all tries of this execution of the node; an agent's own call has none. */
	readonly owner: object;

	/** Aborted when the execution is stopped, or when a failed item ends the run. */
	readonly signal = this.end.signal;

	/** Aborted when the execution is stopped. */
	readonly stopSignal: AbortSignal | undefined;

	/** Whether the first failed item ends the run, as the node's "On Error" is set. */
	readonly stopsOnError: boolean;

	/** Whether an agent's model reads the result. It gets only the message of an error. */
	readonly isAgentStep: boolean;

	/** Whether n8n offers to retry the execution once an item has failed. */
	readonly canBeRetried: boolean;

	/** The failed item that ended the run. */
	failure: { itemIndex: number; reason: unknown } | undefined;

	/** By `performance.now()`. */
	readonly startedAt = performance.now();

	/** How long its items have waited for places that other executions had, added up. */
	waitedForOthersMs = 0;

	readonly takeDownloadSlot = createSlots(DOWNLOADS_AT_ONCE);

	private readonly shared = new Map<string, { value: Promise<unknown>; readAt: number }>();

	private readonly takeRequestSlot = createSlots(REQUESTS_AT_ONCE);

	constructor(
		context: Pick<
			IExecuteSingleFunctions,
			'getExecutionCancelSignal' | 'continueOnFail' | 'getNode' | 'getExecuteData'
		>,
	) {
		this.owner = isRunByN8n(context) ? context.getExecuteData() : this;
		this.stopSignal = context.getExecutionCancelSignal();
		// Combined signals that nothing aborts would outlive the run in Node.js.
		onAbort(this.stopSignal, () => {
			this.end.abort();
		});
		this.stopsOnError = !context.continueOnFail();
		this.isAgentStep = context.getNode().rewireOutputLogTo === NodeConnectionTypes.AiTool;
		this.canBeRetried = this.stopsOnError && !this.isAgentStep && isRunByN8n(context);
	}

	/**
	 * Sends a request as soon as fewer than REQUESTS_AT_ONCE requests of this run are under way.
	 *
	 * @throws a RequestFailure of the kind `cancelled` when the run has ended meanwhile
	 */
	async request<T>(send: () => Promise<T>): Promise<T> {
		return await this.takeRequestSlot(async () => {
			if (this.signal.aborted) throw CANCELLED.with({ tries: 0 });
			return await send();
		});
	}

	/** Reads something once for all items that ask for it within a time. */
	async share<T>(key: string, maxAgeMs: number, read: () => Promise<T>): Promise<T> {
		const known = this.shared.get(key);
		if (known && performance.now() < known.readAt + maxAgeMs) return (await known.value) as T;
		const value = read();
		this.shared.set(key, { value, readAt: performance.now() });
		return await value;
	}

	/** Waits for an item's work. With the node set to stop, the first failed item ends the run. */
	async settle<T>({ context }: Job, work: Promise<T>): Promise<Outcome<T>> {
		try {
			return { output: await work };
		} catch (reason) {
			if (this.stopsOnError && this.failure === undefined) {
				this.failure = { itemIndex: context.getItemIndex(), reason };
				this.end.abort();
			}
			return { reason };
		}
	}
}
