import { pause, untilAborted } from '../api/pacing';
import { classifyError } from '../failures/errors';
import { CANCELLED, MAX_RETRY_AFTER_MS, type RequestFailure } from '../failures/failure';

/** Items that ask within this time share one request. */
const TOGETHER_MS = 20;

/** Minimum time between two requests for the list, which may be long. */
const MIN_INTERVAL_MS = 1_000;

/** n8n's event loop stands still while a list is parsed: for at most one fiftieth of the time. */
const PARSING_SHARE = 50;

/** A request for the list that takes longer counts as failed. */
const TIMEOUT_MS = 30_000;

/** Minimum time between two requests for the list that settle no item. */
const REFRESH_INTERVAL_MS = 60_000;

/** One answer that asks for hours must not hold up all items until then. */
export const limitRetryAfter = ({ facts: { retryAfterMs = 0 } }: RequestFailure) =>
	Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);

/** How an item's execution reads the list. The signal ends its waits. */
export interface ListRequests {
	fetchList: (deadline: number) => Promise<{ entries: unknown[]; parsedInMs: number }>;
	signal: AbortSignal;
}

const isCancelled = (error: unknown) => classifyError(error).kind === 'cancelled';

/** The list of videos of one account, which all who wait for it read together. */
export class AccountList {
	private requestedAt = -Infinity;
	/** When the next request may be sent. */
	private nextAt = -Infinity;
	/** Why the last request failed, and until when the service asks for no other one. */
	private failure: RequestFailure | undefined;
	private refusedUntil = -Infinity;
	/** The next request, which has not begun, and whether the last one was cut off with its execution. */
	private next: Promise<void> | undefined;
	private last = Promise.resolve(false);

	/** @param videos shown the entries of each list, and when it was requested */
	constructor(
		private readonly videos: { show: (entries: unknown[], requestedAt: number) => void },
	) {}

	/** Reads the list unless that was done a short while ago, and after `since`. A list that cannot be read ends nothing. */
	async refresh(requests: ListRequests, since = -Infinity): Promise<void> {
		const freshUntil = this.requestedAt + REFRESH_INTERVAL_MS;
		const isFresh = performance.now() < freshUntil && this.requestedAt >= since;
		if (!isFresh) await this.read(requests).catch(() => undefined);
		if (requests.signal.aborted) throw CANCELLED;
	}

	/** The same, and waits for a request that is under way: what it shows was there before. */
	async catchUp(requests: ListRequests, since?: number): Promise<void> {
		await this.refresh(requests, since);
		const isCutOff = await untilAborted(this.last, requests.signal);
		if (isCutOff) await this.catchUp(requests, since);
	}

	/** Reads the list. Executions that call this before the request begins share it. @throws a RequestFailure */
	async read(requests: ListRequests): Promise<void> {
		this.next ??= this.readNext(requests);
		try {
			await untilAborted(this.next, requests.signal);
		} catch (error) {
			// The execution that was to send the request has ended.
			if (!isCancelled(error) || requests.signal.aborted) throw error as Error;
			await this.read(requests);
		}
	}

	private async readNext(requests: ListRequests): Promise<void> {
		await pause(TOGETHER_MS, requests.signal);
		await this.last;
		await pause(this.nextAt - performance.now(), requests.signal);
		const reading = this.send(requests);
		this.next = undefined;
		this.last = reading.then(() => false, isCancelled);
		await reading;
	}

	private async send({ fetchList, signal }: ListRequests): Promise<void> {
		const now = performance.now();
		if (signal.aborted) throw CANCELLED;
		if (this.failure && now < this.refusedUntil) {
			throw this.failure.with({ retryAfterMs: this.refusedUntil - now });
		}
		this.requestedAt = now;
		this.nextAt = now + MIN_INTERVAL_MS;
		try {
			const { entries, parsedInMs } = await fetchList(now + TIMEOUT_MS);
			this.nextAt = now + Math.max(MIN_INTERVAL_MS, parsedInMs * PARSING_SHARE);
			this.videos.show(entries, now);
		} catch (error) {
			// It has shown nothing.
			if (isCancelled(error)) this.requestedAt = -Infinity;
			this.failure = classifyError(error);
			this.refusedUntil = performance.now() + limitRetryAfter(this.failure);
			throw this.failure;
		}
	}
}
