import type {
	IDataObject,
	IExecuteSingleFunctions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';
import { createSlots, onAbort, pause, type TakeSlot, untilAborted } from '../api/pacing';
import type { ApiOptions, Endpoint, Service } from '../api/request';
import { CANCELLED, RequestFailure } from '../failures/failure';
import type { FailureContext } from '../failures/texts';
import { beginTry, isAgentCall } from '../n8n/calls';
import { getExecutionEnd, isOnWorker, isSavedAsStopped, type RunContext } from '../n8n/execution';
import type { Ledger } from './ledger';
import type { Batching } from './parameters';

/** One operation of the node: what n8n is told of its request, and what it does for one item. */
export interface Operation<Order = unknown> {
	/** Its option of "Operation" in the editor. Agents read `action` alone. */
	name: string;
	action: string;
	description: string;
	/** The request that its `routing` declares; Video > Download has the video's own address. */
	request?: Endpoint;
	/** Whether each of its items is an add, which costs credits. */
	costsCredits?: true;
	fields: INodeProperties[];
	/** Its "Options" besides "Max Tries". */
	options?: INodeProperties[];
	/** A field below "Options", where n8n's guidelines want sorting. */
	sort?: INodeProperties;
	/** The parts of its error texts that depend on the operation. */
	texts?: Omit<FailureContext, 'mayBeQueued'>;
	/** Reads and checks the item's parameters. What is only for sending is not read for a video that is paid for. */
	prepare(context: IExecuteSingleFunctions, isPaid: boolean): Order;
	/** Identifies the item in its error's `details`. */
	getIds?(order: Order): IDataObject;
	/** Does the work of one item. The items run side by side. */
	perform?(job: Job<Order>): Promise<INodeExecutionData[]>;
	/** Does the work of all items together, instead. */
	performAll?(jobs: Job<Order>[]): Promise<Outcome[]>;
}

/** By resource and operation, as the parameters name them. */
export type Operations = Record<string, Record<string, Operation>>;

/** One item's work. */
export interface Job<Order = unknown> {
	readonly operation: Operation<Order>;
	readonly context: IExecuteSingleFunctions;
	readonly run: Run;
	/** The item's parameters, checked. */
	readonly order: Order;
	readonly api: ApiOptions & Required<Pick<ApiOptions, 'connection' | 'takeSlot' | 'signal'>>;
	/** The item's progress in this try and the ones before it. */
	readonly ledger: Ledger;
	/** Opens the item's credential, once. @throws a RequestFailure */
	readonly open: () => Promise<Service>;
	/** Why the item cannot be sent. */
	readonly problem?: unknown;
}

export type Outcome = { job: Job } & ({ output: INodeExecutionData[] } | { reason: unknown });

/** @throws the problem that keeps an item from being sent: an add whose fate is unknown is never sent again */
export function checkJob({ ledger, problem, run }: Job): void {
	ledger.takeOverFate();
	const reason = problem ?? ledger.findUnknownFate();
	if (reason !== undefined) throw reason as Error;
	if (run.signal.aborted) throw CANCELLED.with({ tries: 0 });
}

/** More are not faster, and take more memory (`npm run bench -- items`). */
const REQUESTS_AT_ONCE = 64;

/** More downloads at once take more memory, and finish no sooner: n8n may hold each file in memory while it stores it. */
export const DOWNLOADS_AT_ONCE = 4;

/** How often the saved execution is read at most, and how long after the run's start at the earliest. */
const STOP_CHECK_MS = 5_000;

/** One try of the node with all its input items: the state that the items share. Times are by `performance.now()`. */
export class Run {
	private readonly stopping = new AbortController();
	private readonly ending = new AbortController();
	/** Aborted when the execution is stopped. */
	readonly stopSignal = this.stopping.signal;
	/** Aborted when the execution is stopped, or when a failed item ends the run. */
	readonly signal = this.ending.signal;
	/** Whether the first failed item ends the run, as the node's "On Error" is set. */
	readonly stopsOnError: boolean;
	readonly isAgentCall: boolean;
	/** Whether n8n runs the node again if its first item fails, and drops the output of this try. */
	readonly hasNextTry: boolean;
	readonly startedAt = performance.now();
	/** When n8n ends the execution. */
	readonly endsAt: number;
	/** The failed item that ended the run. */
	failure: { job: Job; reason: unknown } | undefined;
	/** Whether a list lacked a video that it had to show. */
	isListUnreliable = false;
	/** How many videos of a project it may make at the same time, where the service tells them apart. */
	toldAtOnce = 1;
	/** As the user has set it. An agent's call is one item. */
	batching: Batching = { size: 1, intervalMs: 0 };
	/** How many items have begun, for the pauses between batches. */
	private begun = 0;
	/** How many of its files have a name already (see `takeName`). */
	readonly takenNames = new Map<string, number>();
	readonly takeDownloadSlot = createSlots(DOWNLOADS_AT_ONCE);
	/** Sends a request as soon as a slot is free. */
	readonly takeSlot = createSlots(REQUESTS_AT_ONCE);
	readonly outage = { isUnderWay: false };
	private readonly shared = new Map<string, { value: unknown; readAt: number }>();
	/** Stops listening to the execution: a loop may run the node a thousand times more. */
	readonly close: () => void;

	constructor(context: RunContext) {
		// Combined signals that nothing aborts would outlive the run in Node.js.
		this.close = onAbort(context.getExecutionCancelSignal(), () => {
			this.stop();
		});
		this.endsAt = getExecutionEnd(context);
		this.stopsOnError = !context.continueOnFail();
		this.isAgentCall = isAgentCall(context);
		this.hasNextTry = beginTry(context);
	}

	/** Waits for n8n's pause between batches before the first item of a batch. */
	async pauseBetweenBatches(): Promise<void> {
		const { size, intervalMs } = this.batching;
		if (this.begun > 0 && this.begun % size === 0) await pause(intervalMs, this.signal);
		this.begun += 1;
	}

	/** The same. @throws a RequestFailure when the run has ended meanwhile */
	readonly takeRequestSlot: TakeSlot = async (send) =>
		await this.takeSlot(async () => {
			if (this.signal.aborted) throw CANCELLED.with({ tries: 0 });
			return await send();
		});

	/** Fetches something once for all items that ask for it within a time. */
	async share<T>(key: string, maxAgeMs: number, fetch: () => T | Promise<T>): Promise<T> {
		const known = this.shared.get(key);
		if (known && performance.now() < known.readAt + maxAgeMs) return (await known.value) as T;
		const value = fetch();
		this.shared.set(key, { value, readAt: performance.now() });
		return await value;
	}

	/** Does the work of an item that can be sent. A failure is its outcome. */
	async perform(job: Job, work: () => Promise<INodeExecutionData[]>): Promise<Outcome> {
		try {
			return { job, output: await this.attempt(job, work) };
		} catch (reason) {
			return { job, reason };
		}
	}

	/** Does work of an item that can be sent. A failure ends the run, with the node set to stop. */
	async attempt<T>(job: Job, work: () => Promise<T>): Promise<T> {
		try {
			checkJob(job);
			return await work();
		} catch (reason) {
			this.end(job, reason);
			throw reason as Error;
		}
	}

	/** Ends the run if n8n has saved its execution as stopped. Without an answer of n8n's database, it goes on. */
	async checkStop({ context }: Job): Promise<void> {
		if (!isOnWorker(context) || performance.now() < this.startedAt + STOP_CHECK_MS) return;
		const read = async () => await isSavedAsStopped(context);
		const reading = this.share('isStopped', STOP_CHECK_MS, read).catch(() => false);
		if (await untilAborted(reading, this.signal)) this.stop();
	}

	/** Nothing is paid for that cannot come out before n8n ends the execution. @throws a RequestFailure */
	checkTimeLeft(usualMs: number): void {
		const leftMs = this.endsAt - performance.now();
		if (leftMs >= usualMs) return;
		const toSeconds = (ms: number) => Math.max(0, Math.round(ms / 1000));
		const seconds = { leftSeconds: toSeconds(leftMs), usualSeconds: toSeconds(usualMs) };
		throw new RequestFailure({ kind: 'outOfTime', tries: 0, ...seconds });
	}

	/** Ends the run of an execution that was stopped. */
	stop(): void {
		this.stopping.abort();
		this.ending.abort();
	}

	/** With the node set to stop, the first failed item ends the run. */
	end(job: Job, reason: unknown): void {
		if (!this.stopsOnError || this.failure !== undefined) return;
		this.failure = { job, reason };
		this.ending.abort();
	}
}
