import { LONGEST_RETRY_AFTER_MS } from '../failures/describeLongWait';
import type { RequestFailure } from '../failures/requestFailure';
import type { RequestKind } from '../failures/RequestKind';

const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 30_000;

/**
 * Whether a failed request is sent again, and after which delay.
 *
 * | failure       | read  | clear | add                                          |
 * | ------------- | ----- | ----- | -------------------------------------------- |
 * | rateLimited   | again | again | again: it was refused before it was accepted |
 * | unreached     | again | again | again                                        |
 * | uncertain     | again | again | never: a second add may pay twice            |
 * | anything else | no    | no    | no                                           |
 *
 * The service's own hint beats the back-off, which is exponential from 1 s, doubling, with full
 * jitter, so that many workflows that failed together do not come back together.
 *
 * @param tryNumber how many times the request has been sent, from 1
 * @param random a number from 0 to 1
 * @returns the delay in milliseconds, or undefined when it must not be sent again
 */
export function decideRetry(
	requestKind: RequestKind,
	failure: RequestFailure,
	tryNumber: number,
	maxTries: number,
	random: number,
): number | undefined {
	if (tryNumber >= maxTries || !canBeSentAgain(requestKind, failure)) return undefined;
	const { retryAfterMs } = failure.facts;
	if (retryAfterMs !== undefined) {
		return retryAfterMs > LONGEST_RETRY_AFTER_MS ? undefined : retryAfterMs;
	}
	return random * Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (tryNumber - 1));
}

function canBeSentAgain(requestKind: RequestKind, failure: RequestFailure): boolean {
	switch (failure.kind) {
		case 'rateLimited':
		case 'unreached':
			return true;
		case 'uncertain':
			return requestKind !== 'add';
		default:
			return false;
	}
}
