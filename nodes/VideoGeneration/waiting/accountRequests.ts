import type { IDataObject } from 'n8n-workflow';
import type { VideoLog } from '../api/videoLog';
import { onAbort, pause } from '../api/pacing';
import { classifyError } from '../failures/classifyError';
import { RequestFailure } from '../failures/failure';

/** Minimum time between two requests for the log, which may be large. */
const MIN_INTERVAL_MS = 1_000;

/** A request for the log that takes longer counts as failed: nothing waits for it. */
const TIMEOUT_MS = 30_000;

/** The first interval between two requests for the log while items are running. Each later one is twice as long. */
const FIRST_INTERVAL_MS = 60_000;

/** The requests about an account. */
export interface AccountRequests {
	/**
	 * Requests the video log once (specification, "GET /v1/videos"), with the tag of an earlier response.
	 * By the deadline, by `performance.now()`, its response is not needed any more.
	 */
	fetchLog: (etag: string | undefined, deadline: number) => Promise<VideoLog>;
	/** Requests the progress of a queue item once ("GET /v1/queue/progress/{queueId}"). */
	fetchProgress: (queueId: string) => Promise<IDataObject>;
	/** Ends the requests. */
	signal: AbortSignal;
}

/** When one account's log is requested: at most once a second, and not before the service allows it. */
export class LogPace {
	/** When the log was last requested, by `performance.now()`. */
	private requestedAt = -Infinity;

	/** The last failure, with the time before which the service asks not to request the log again. */
	private refusal: { failure: RequestFailure; until: number } | undefined;

	private intervalMs = FIRST_INTERVAL_MS;

	/**
	 * Whether it is time for another request while items are running. Without a tag, each request is for
	 * the whole log.
	 */
	isDue(isTagged: boolean): boolean {
		const intervalMs = isTagged ? MIN_INTERVAL_MS : this.intervalMs;
		if (performance.now() - this.requestedAt < intervalMs) return false;
		if (!isTagged) this.intervalMs *= 2;
		return true;
	}

	/** Pauses until the next request may be sent. */
	async pause(signal: AbortSignal): Promise<void> {
		await pause(Math.ceil(this.requestedAt + MIN_INTERVAL_MS - performance.now()), signal);
	}

	/** @throws a RequestFailure, without a request when the service has asked not to send one yet */
	async fetchLog(requests: AccountRequests, etag: string | undefined): Promise<VideoLog> {
		const now = performance.now();
		const restMs = (this.refusal?.until ?? now) - now;
		if (this.refusal && restMs > 0) throw this.refusal.failure.with({ retryAfterMs: restMs });
		this.requestedAt = now;
		try {
			return await fetchInTime(requests, etag, now + TIMEOUT_MS);
		} catch (error) {
			const failure = classifyError(error);
			const until = performance.now() + (failure.facts.retryAfterMs ?? 0);
			this.refusal = { failure, until };
			throw failure;
		}
	}
}

/** @throws a RequestFailure when the response does not come in time, or the execution is stopped */
async function fetchInTime(
	requests: AccountRequests,
	etag: string | undefined,
	deadline: number,
): Promise<VideoLog> {
	const timer = new AbortController();
	const stopListening = onAbort(requests.signal, () => {
		timer.abort();
	});
	const timedOut = pause(TIMEOUT_MS, timer.signal).then((isOver) => {
		throw isOver
			? new RequestFailure({ kind: 'uncertain', httpCode: 'ETIMEDOUT' })
			: new RequestFailure({ kind: 'cancelled' });
	});
	try {
		return await Promise.race([requests.fetchLog(etag, deadline), timedOut]);
	} finally {
		stopListening();
		timer.abort();
	}
}
