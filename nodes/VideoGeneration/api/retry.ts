import type { RequestKind } from '../failures/RequestKind';
import { readFailure } from '../failures/readFailure';
import { RequestFailure } from '../failures/requestFailure';
import { decideRetry } from '../request/decideRetry';
import { pause } from '../request/pause';

const TIMED_OUT = new RequestFailure('uncertain', { httpCode: 'ETIMEDOUT' });

export interface RetryOptions {
	requestKind: RequestKind;
	/** How many times the request may be sent, from 1. */
	maxTries: number;
	/** Ends the wait between two tries. */
	signal?: AbortSignal | undefined;
	/** When no further try may begin, by `performance.now()`. */
	deadline?: number;
}

/**
 * Sends a request, and again where the policy allows it.
 *
 * @throws a RequestFailure, the last one, with the number of tries
 */
export async function sendWithRetries<T>(
	send: () => Promise<T>,
	{ requestKind, maxTries, signal, deadline = Infinity }: RetryOptions,
): Promise<T> {
	for (let tries = 1; ; tries++) {
		if (signal?.aborted) throw new RequestFailure('cancelled', { tries: tries - 1 });
		try {
			return await send();
		} catch (error) {
			const reason = readFailure(error);
			// The HTTP client reports every abort alike: one that is not ours is a timeout.
			const failure = reason.kind === 'cancelled' && !signal?.aborted ? TIMED_OUT : reason;
			const delayMs = decideRetry(requestKind, failure, tries, maxTries, Math.random());
			if (delayMs === undefined || performance.now() + delayMs >= deadline) {
				throw countTries(failure, tries);
			}
			await pause(delayMs, [signal]);
		}
	}
}

function countTries({ kind, facts }: RequestFailure, tries: number): RequestFailure {
	return new RequestFailure(kind, { ...facts, tries });
}
