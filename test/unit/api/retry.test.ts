import type { IHttpRequestOptions } from 'n8n-workflow';
import type { Service } from '../../../nodes/VideoGeneration/api/request';
import { fetchFromApi } from '../../../nodes/VideoGeneration/api/request';
import { getRetryAfterMs } from '../../../nodes/VideoGeneration/api/response';
import { decideRetry, sendWithRetries } from '../../../nodes/VideoGeneration/api/retry';
import { MAX_OBJECT_BYTES } from '../../../nodes/VideoGeneration/api/responseBody';
import type { FailureKind, RequestKind } from '../../../nodes/VideoGeneration/failures/failure';
import { RequestFailure } from '../../../nodes/VideoGeneration/failures/failure';

const KINDS: RequestKind[] = ['read', 'clear', 'add'];

/** The kinds of requests that are sent again after each failure. */
const AGAIN: Record<FailureKind, RequestKind[]> = {
	rateLimited: ['read', 'clear'],
	unreached: ['read', 'clear'],
	uncertain: ['read', 'clear'],
	redirected: [],
	rejected: [],
	unreadable: [],
	unsuccessful: [],
	incomplete: [],
	blocked: [],
	badCredential: [],
	unsent: [],
	cancelled: [],
	notGenerated: [],
	timedOut: [],
	storageFailed: [],
	notAnAddress: [],
	ambiguousVideo: [],
	overBudget: [],
	creditsUnknown: [],
	keyUsed: [],
	keysUnavailable: [],
};

describe('A failed request', () => {
	const table = Object.entries(AGAIN).flatMap(([failure, again]) =>
		KINDS.map(
			(kind) => [failure as FailureKind, kind, again.includes(kind) ? 'again' : 'once'] as const,
		),
	);
	test.each(table)('that was %s, of the kind %s, is sent %s', (failure, kind, expected) => {
		const delayMs = decideRetry(kind, new RequestFailure({ kind: failure }), 1, 4, 0.5);
		expect(delayMs === undefined ? 'once' : 'again').toBe(expected);
	});

	test.each([
		['refused', 'rateLimited', 'again'],
		['notSent', 'unreached', 'again'],
		['notSent', 'unsent', 'once'],
		['refused', 'rejected', 'once'],
		['unknown', 'rateLimited', 'once'],
		['unknown', 'unreached', 'once'],
		['unknown', 'uncertain', 'once'],
	] as const)('that is an add of the fate "%s", %s, is sent %s', (fate, kind, expected) => {
		const delayMs = decideRetry('add', new RequestFailure({ kind, fate }), 1, 4, 0.5);
		expect(delayMs === undefined ? 'once' : 'again').toBe(expected);
	});

	test.each(['501', '505'])('is sent once after a %s, which no later try mends', (httpCode) => {
		const failure = new RequestFailure({ kind: 'uncertain', httpCode });
		expect(decideRetry('read', failure, 1, 4, 0.5)).toBeUndefined();
	});

	test('is sent no more often than Max Tries says, and there is no wait after the last try', () => {
		const failure = new RequestFailure({ kind: 'rateLimited', retryAfterMs: 1000 });
		expect(decideRetry('read', failure, 3, 4, 0.5)).toBe(1000);
		expect(decideRetry('read', failure, 4, 4, 0.5)).toBeUndefined();
		expect(decideRetry('read', failure, 1, 1, 0.5)).toBeUndefined();
	});

	test('waits for a random part of 1 s, doubled each time, at most 30 s', () => {
		const failure = new RequestFailure({ kind: 'uncertain' });
		const longest = [1, 2, 3, 4, 5, 6, 9].map((tryNumber) =>
			decideRetry('read', failure, tryNumber, 10, 1),
		);
		expect(longest).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
		expect(decideRetry('read', failure, 3, 10, 0)).toBe(0);
		expect(decideRetry('read', failure, 3, 10, 0.25)).toBe(1000);
	});

	test('waits as long as the service asks, up to 120 s, whatever the back-off would be', () => {
		const after = (retryAfterMs: number) =>
			decideRetry('read', new RequestFailure({ kind: 'uncertain', retryAfterMs }), 1, 4, 1);
		// By the back-off: the rest of a second is rounded down to 0.
		expect(after(0)).toBe(1_000);
		expect(after(120_000)).toBe(120_000);
		expect(after(120_001)).toBeUndefined();
	});
});

describe('Sending with retries', () => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => {
		jest.useRealTimers();
	});
	const busy = () =>
		Promise.reject(new RequestFailure({ kind: 'rateLimited', retryAfterMs: 5_000 }));
	const send = async (request: () => Promise<unknown>, options = {}) => {
		const settled = sendWithRetries(request, {
			requestKind: 'read',
			maxTries: 4,
			...options,
		}).catch((error: unknown) => error as RequestFailure);
		await jest.runAllTimersAsync();
		return await settled;
	};

	test('ends with the last failure, and says how many tries there were', async () => {
		const request = jest.fn(busy);
		expect(await send(request)).toMatchObject({ kind: 'rateLimited', facts: { tries: 4 } });
		expect(request).toHaveBeenCalledTimes(4);
	});

	test('begins no try after its deadline', async () => {
		const request = jest.fn(busy);
		const failure = await send(request, { deadline: performance.now() + 12_000 });
		expect(failure).toMatchObject({ kind: 'rateLimited', facts: { tries: 3 } });
		expect(request).toHaveBeenCalledTimes(3);
	});

	test('sends nothing when the execution was stopped before', async () => {
		const request = jest.fn(busy);
		expect(await send(request, { signal: AbortSignal.abort() })).toMatchObject({
			...{ kind: 'cancelled', facts: { tries: 0 } },
		});
		expect(request).not.toHaveBeenCalled();
	});

	test('takes an abort that nobody asked for as a timeout, which a read survives', async () => {
		const request = jest
			.fn()
			.mockRejectedValueOnce(new RequestFailure({ kind: 'cancelled' }))
			.mockResolvedValue('body');
		expect(await send(request)).toBe('body');
	});

	test('remembers that an earlier try may have been carried out', async () => {
		const request = jest
			.fn()
			.mockRejectedValueOnce(new RequestFailure({ kind: 'uncertain', httpCode: '502' }))
			.mockRejectedValue(new RequestFailure({ kind: 'rejected', httpCode: '404' }));
		expect(await send(request, { requestKind: 'clear' })).toMatchObject({
			...{ kind: 'rejected', facts: { mayBeDone: true, tries: 2 } },
		});
	});
});

describe('A request with a deadline', () => {
	const getTimeout = async (leftMs: number, connection = {}) => {
		const body = { status: 'success' };
		const requests: IHttpRequestOptions[] = [];
		const httpRequestWithAuthentication = async (_name: string, request: IHttpRequestOptions) => {
			requests.push(request);
			return await Promise.resolve({ statusCode: 200, headers: {}, body });
		};
		const service = { context: { helpers: { httpRequestWithAuthentication } }, hide: String };
		const deadline = performance.now() + leftMs;
		const options = { maxTries: 1, connection, deadline };
		const request = { method: 'GET', url: '/v1/videos', maxBytes: MAX_OBJECT_BYTES } as const;
		await fetchFromApi(service as unknown as Service, request, options);
		return requests[0]?.timeout ?? NaN;
	};

	test('waits for its response until then, in whole milliseconds', async () => {
		for (const leftMs of [12_345.67, 30_000.5]) {
			const timeout = await getTimeout(leftMs);
			expect(Number.isInteger(timeout)).toBe(true);
			expect(timeout).toBeGreaterThan(leftMs - 2_000);
			expect(timeout).toBeLessThanOrEqual(Math.ceil(leftMs));
		}
	});

	test('waits no longer than its timeout, and never less than a second', async () => {
		expect(await getTimeout(1e9)).toBe(60_000);
		expect(await getTimeout(1e9, { timeout: 5_000 })).toBe(5_000);
		expect(await getTimeout(10)).toBe(1_000);
	});
});

describe('Retry-After', () => {
	const NOW = Date.parse('2026-03-01T12:00:00Z');

	test.each([
		['1', 1000],
		[' 120 ', 120_000],
		['0', 0],
		['0.5', 500],
		[2, 2000],
	])('of %j is %d ms', (value, expected) => {
		expect(getRetryAfterMs({ 'retry-after': value }, NOW)).toBe(expected);
	});

	test("as a date is compared with the response's own Date, not with this machine's clock", () => {
		const headers = {
			'retry-after': 'Wed, 01 Jan 2025 00:00:07 GMT',
			date: 'Wed, 01 Jan 2025 00:00:02 GMT',
		};
		expect(getRetryAfterMs(headers, NOW)).toBe(5000);
	});

	test("as a date is compared with this machine's clock without a readable Date", () => {
		const headers = { 'retry-after': 'Sun, 01 Mar 2026 12:00:03 GMT', date: 'soon' };
		expect(getRetryAfterMs(headers, NOW)).toBe(3000);
	});

	test('of a time that has passed is 0', () => {
		expect(getRetryAfterMs({ 'retry-after': 'Sun, 01 Mar 2026 11:00:00 GMT' }, NOW)).toBe(0);
	});

	test.each([undefined, '', 'soon', '-1', null, ['1', '2']])('of %j is no hint', (value) => {
		expect(getRetryAfterMs({ 'retry-after': value }, NOW)).toBeUndefined();
	});
});
