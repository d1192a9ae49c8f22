import type { IDataObject } from 'n8n-workflow';
import { onAbort, pause } from '../api/pacing';
import { classifyError } from '../failures/errors';
import type { RequestFailure } from '../failures/failure';
import { CANCELLED, TIMED_OUT } from '../failures/failure';

/** Items that ask for the list within this time share one request. */
const TOGETHER_MS = 20;

/** Minimum time between two requests for the list, which may be long. */
const MIN_INTERVAL_MS = 1_000;

/** Two requests are at least this many times as long apart as one takes. */
const REST_FACTOR = 50;

/** A request for the list that takes longer counts as failed. */
const TIMEOUT_MS = 30_000;

/** Minimum time between two requests for the list that settle no item. */
const REFRESH_INTERVAL_MS = 60_000;

/** The requests about an account. */
export interface AccountRequests {
	/** Requests the list of videos once. By the deadline, by `performance.now()`, it is not needed any more. */
	fetchList: (deadline: number) => Promise<unknown[]>;
	/** Requests the progress of a queue item once (specification, "GET /v1/queue/progress/{queueId}"). */
	fetchProgress: (queueId: string) => Promise<IDataObject>;
	/** Ends the requests. */
	signal: AbortSignal;
}

/** Reads the list of videos of an account for all items of a run together. */
export class ListReads {
	private requestedAt = -Infinity;

	/** How long the fastest request took: only a long list takes long each time. */
	private tookMs: number | undefined;

	/** Why the last request failed, and until when the service asks for no other one. */
	private failure: RequestFailure | undefined;

	private refusedUntil = -Infinity;

	/** The next request, which has not begun. */
	private next: Promise<void> | undefined;

	/** The end of all requests so far. It never rejects. */
	private last: Promise<unknown> = Promise.resolve();

	/** @param show notes what the list shows, with the time of the request */
	constructor(private readonly show: (entries: unknown[], requestedAt: number) => Promise<void>) {}

	/** Reads the list unless that was done a short while ago. A list that cannot be read ends nothing. */
	async refresh(requests: AccountRequests): Promise<void> {
		const restMs = this.requestedAt + REFRESH_INTERVAL_MS - performance.now();
		if (restMs <= 0) await this.readIfPossible(requests);
	}

	/** Reads the list. A list that cannot be read ends nothing. */
	async readIfPossible(requests: AccountRequests): Promise<void> {
		await this.read(requests).catch(() => undefined);
		if (requests.signal.aborted) throw CANCELLED;
	}

	/**
	 * Reads the list. Items that call this before the request begins share it.
	 *
	 * @throws a RequestFailure when it cannot be read, with the rest of a `Retry-After`
	 */
	async read(requests: AccountRequests): Promise<void> {
		this.next ??= this.readNext(requests);
		this.last = this.next.catch(() => undefined);
		try {
			await this.next;
		} catch (error) {
			const failure = classifyError(error);
			// It belongs to an earlier try of the node, which has ended.
			if (failure.kind !== 'cancelled' || requests.signal.aborted) throw failure;
			await this.read(requests);
		}
	}

	private async readNext(requests: AccountRequests): Promise<void> {
		const { last } = this;
		await pause(TOGETHER_MS, requests.signal);
		await last;
		const intervalMs = Math.max(MIN_INTERVAL_MS, REST_FACTOR * (this.tookMs ?? 0));
		await pause(Math.ceil(this.requestedAt + intervalMs - performance.now()), requests.signal);
		this.next = undefined;
		if (requests.signal.aborted) throw CANCELLED;
		const now = performance.now();
		const retryAfterMs = this.refusedUntil - now;
		if (this.failure && retryAfterMs > 0) throw this.failure.with({ retryAfterMs });
		this.requestedAt = now;
		try {
			const entries = await fetchInTime(requests, now + TIMEOUT_MS);
			const tookMs = performance.now() - now;
			this.tookMs = Math.min(this.tookMs ?? tookMs, tookMs);
			await this.show(entries, now);
			this.failure = undefined;
		} catch (error) {
			this.failure = classifyError(error);
			this.refusedUntil = performance.now() + (this.failure.facts.retryAfterMs ?? 0);
			throw this.failure;
		}
	}
}

/** @throws a RequestFailure when the response does not come in time, or the run ends */
async function fetchInTime(requests: AccountRequests, deadline: number): Promise<unknown[]> {
	const timer = new AbortController();
	const stopListening = onAbort(requests.signal, () => {
		timer.abort();
	});
	const timedOut = pause(TIMEOUT_MS, timer.signal).then((isOver) => {
		throw isOver ? TIMED_OUT : CANCELLED;
	});
	return await Promise.race([requests.fetchList(deadline), timedOut]).finally(() => {
		stopListening();
		timer.abort();
	});
}
