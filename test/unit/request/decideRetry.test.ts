import type { RequestKind } from '../../../nodes/VideoGeneration/failures/RequestKind';
import { decideRetry } from '../../../nodes/VideoGeneration/request/decideRetry';
import type { FailureKind } from '../../../nodes/VideoGeneration/failures/requestFailure';
import { RequestFailure } from '../../../nodes/VideoGeneration/failures/requestFailure';

const KINDS: RequestKind[] = ['read', 'clear', 'add'];
const AGAIN: Partial<Record<FailureKind, RequestKind[]>> = {
	rateLimited: ['read', 'clear', 'add'],
	unreached: ['read', 'clear', 'add'],
	uncertain: ['read', 'clear'],
};
const FAILURES: FailureKind[] = [
	'rateLimited',
	'unreached',
	'uncertain',
	'redirected',
	'rejected',
	'unreadable',
	'unsuccessful',
	'incomplete',
	'blocked',
	'unsent',
	'cancelled',
	'unexpected',
];

describe('A failed request', () => {
	const table = FAILURES.flatMap((failure) =>
		KINDS.map(
			(kind) => [failure, kind, AGAIN[failure]?.includes(kind) ? 'again' : 'not again'] as const,
		),
	);
	test.each(table)('that was %s, of the kind %s, is sent %s', (failure, kind, expected) => {
		const delayMs = decideRetry(kind, new RequestFailure(failure), 1, 4, 0.5);
		expect(delayMs === undefined ? 'not again' : 'again').toBe(expected);
	});

	test('is not sent more often than the tries allow, so that there is no wait after the last one', () => {
		const failure = new RequestFailure('rateLimited', { retryAfterMs: 1000 });
		expect(decideRetry('read', failure, 3, 4, 0.5)).toBe(1000);
		expect(decideRetry('read', failure, 4, 4, 0.5)).toBeUndefined();
		expect(decideRetry('read', failure, 1, 1, 0.5)).toBeUndefined();
	});

	test('waits for a random part of 1 s, doubled each time, 30 s at the most', () => {
		const failure = new RequestFailure('uncertain');
		const longest = [1, 2, 3, 4, 5, 6, 9].map((tryNumber) =>
			decideRetry('read', failure, tryNumber, 10, 1),
		);
		expect(longest).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
		expect(decideRetry('read', failure, 3, 10, 0)).toBe(0);
		expect(decideRetry('read', failure, 3, 10, 0.25)).toBe(1000);
	});

	test('waits as long as the service asks, up to 120 s, whatever the own back-off says', () => {
		const after = (retryAfterMs: number) =>
			decideRetry('read', new RequestFailure('uncertain', { retryAfterMs }), 1, 4, 1);
		expect(after(0)).toBe(0);
		expect(after(120_000)).toBe(120_000);
		expect(after(120_001)).toBeUndefined();
	});
});
