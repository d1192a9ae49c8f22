import type { RequestKind } from '../failures/RequestKind';
import { decideRetry } from './decideRetry';
import { pause } from './pause';
import { readFailure } from '../failures/readFailure';
import { RequestFailure } from '../failures/requestFailure';

const TOO_LATE = new RequestFailure('uncertain', { httpCode: 'ETIMEDOUT' });

export interface RetryOptions {
	requestKind: RequestKind;
	/** How many times the request may be sent, from 1. */
	maxTries: number;
	/** Any of these ends the wait between two tries. */
	signals?: (AbortSignal | undefined)[];
	/** When no further try may begin (milliseconds since 1970). */
	deadline?: number;
}

/**
 * Sends a request, again where the policy allows it.
 *
 * @returns what `send` returns, or `'alreadyCleared'` for a clear whose first try may have been
 * carried out and whose next one found nothing to clear
 * @throws a RequestFailure, the last one
 */
export async function sendWithRetries<T>(
	send: () => Promise<T>,
	{ requestKind, maxTries, signals = [], deadline = Infinity }: RetryOptions,
): Promise<T | 'alreadyCleared'> {
	let mayBeDone = false;
	for (let tryNumber = 1; ; tryNumber++) {
		const outcome = await attempt(send, signals);
		if ('answer' in outcome) return outcome.answer;

		const { failure } = outcome;
		if (requestKind === 'clear' && mayBeDone && failure.facts.httpCode === '404') {
			return 'alreadyCleared';
		}
		const delayMs = decideRetry(requestKind, failure, tryNumber, maxTries, Math.random());
		if (delayMs === undefined || Date.now() + delayMs >= deadline) {
			throw new RequestFailure(failure.kind, { ...failure.facts, tries: tryNumber });
		}
		mayBeDone ||= failure.kind === 'uncertain';
		if (!(await pause(delayMs, signals))) throw new RequestFailure('cancelled');
	}
}

async function attempt<T>(
	send: () => Promise<T>,
	signals: (AbortSignal | undefined)[],
): Promise<{ answer: T } | { failure: RequestFailure }> {
	try {
		return { answer: await send() };
	} catch (error) {
		const failure = readFailure(error);
		const isCancelled = signals.some((signal) => signal?.aborted);
		// The HTTP client does not tell what has ended a request. If nobody has, its time was over.
		return failure.kind === 'cancelled' && !isCancelled ? { failure: TOO_LATE } : { failure };
	}
}
