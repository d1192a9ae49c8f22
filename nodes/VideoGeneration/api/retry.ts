import { classifyError } from '../failures/errors';
import {
	CANCELLED,
	isTransient,
	MAX_RETRY_AFTER_MS,
	type RequestFailure,
} from '../failures/failure';
import { pause } from './pacing';

/** Maximum number of times a request is sent, unless "Max Tries" says otherwise. */
export const DEFAULT_MAX_TRIES = 4;

const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 30_000;

/**
 * Whether a failed request is sent again, and after which delay.
 *
 * | failure       | read, clear | add                                      |
 * | ------------- | ----------- | ---------------------------------------- |
 * | rateLimited   | again       | again if its fate is `refused`           |
 * | unreached     | again       | again if its fate is `notSent`           |
 * | uncertain     | again       | no: a second add may be paid for again   |
 * | anything else | no          | no                                       |
 *
 * The service's own hint beats the back-off, which is exponential from 1 s, doubling, with full
 * jitter, so that many workflows that failed together do not come back together.
 *
 * @param tryNumber from 1
 * @param random from 0 to 1
 * @returns the delay in milliseconds, or undefined when it must not be sent again
 */
export function decideRetry(
	isAdd: boolean,
	failure: RequestFailure,
	tryNumber: number,
	maxTries: number,
	random: number,
): number | undefined {
	const { fate, httpCode = '', retryAfterMs = 0 } = failure.facts;
	const isHarmless = !isAdd || fate === 'refused' || fate === 'notSent';
	// 501 and 505 say that the service cannot do this at all.
	const mayHelp = isTransient(failure) && !['501', '505'].includes(httpCode);
	if (!mayHelp || !isHarmless || tryNumber >= maxTries) return undefined;
	// A hint of 0 is rounded down, so all tries could be over within the second that is meant.
	const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (tryNumber - 1));
	if (retryAfterMs === 0) return random * backoffMs;
	return retryAfterMs > MAX_RETRY_AFTER_MS ? undefined : retryAfterMs;
}

export interface RetryOptions {
	/** Whether each request that is accepted is paid for. */
	isAdd?: boolean;
	maxTries: number;
	/** Without a connection, a run's requests are sent once: a service that is down says so once, not item by item. */
	outage?: { isUnderWay: boolean } | undefined;
	/** Ends the wait between two tries. */
	signal?: AbortSignal | undefined;
	/** When no further try may begin, by `performance.now()`. */
	deadline?: number;
}

/** Sends a request, again where `decideRetry` allows it. @throws the last failure, with the number of tries */
export async function sendWithRetries<T>(
	send: () => Promise<T>,
	{ isAdd = false, signal, deadline = Infinity, outage, ...options }: RetryOptions,
): Promise<T> {
	const maxTries = outage?.isUnderWay === true ? 1 : options.maxTries;
	let mayBeDone = false;
	for (let tries = 1; ; tries++) {
		if (signal?.aborted) throw CANCELLED.with({ tries: 0, mayBeDone });
		try {
			const result = await send();
			if (outage) outage.isUnderWay = false;
			return result;
		} catch (error) {
			const failure = classifyError(error);
			const hasStatus = /^\d/.test(failure.facts.httpCode ?? '');
			// A look at a queue item is sent once, and the wait goes on.
			const isLast = tries === maxTries && maxTries > 1;
			if (outage && failure.kind === 'unreached' && isLast) outage.isUnderWay = true;
			else if (outage && hasStatus) outage.isUnderWay = false;
			const delayMs = decideRetry(isAdd, failure, tries, maxTries, Math.random());
			if (delayMs === undefined || performance.now() + delayMs >= deadline) {
				// What has kept it from being sent says so.
				throw failure.with({ tries: failure.facts.tries ?? tries, mayBeDone });
			}
			mayBeDone ||= failure.kind === 'uncertain';
			await pause(delayMs, signal);
		}
	}
}
