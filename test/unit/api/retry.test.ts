import type { IHttpRequestOptions } from 'n8n-workflow';
import type { Service } from '../../../nodes/VideoGeneration/api/request';
import { fetchFromApi } from '../../../nodes/VideoGeneration/api/request';
import { getRetryAfterMs } from '../../../nodes/VideoGeneration/api/response';
import { decideRetry, sendWithRetries } from '../../../nodes/VideoGeneration/api/retry';
import type {
	Fate,
	FailureKind,
	RequestKind,
} from '../../../nodes/VideoGeneration/failures/failure';
import { RequestFailure } from '../../../nodes/VideoGeneration/failures/failure';

const TRANSIENT: FailureKind[] = ['rateLimited', 'unreached', 'uncertain'];
const LASTING: FailureKind[] = [
	...(['redirected', 'rejected', 'unreadable', 'unsuccessful', 'incomplete'] as const),
	...(['blocked', 'unsent', 'badCredential', 'cancelled', 'timedOut'] as const),
];

describe('A failed request', () => {
	test.each<[RequestKind, Fate | undefined, again: FailureKind[], once: FailureKind[]]>([
		['read', undefined, TRANSIENT, LASTING],
		['clear', undefined, TRANSIENT, LASTING],
		['add', undefined, [], [...TRANSIENT, ...LASTING]],
		['add', 'refused', ['rateLimited'], ['rejected']],
		['add', 'notSent', ['unreached'], ['unsent']],
		['add', 'unknown', [], TRANSIENT],
	])('of the kind %s and the fate %s is sent again where it was %j', (kind, fate, again, once) => {
		const isSentAgain = (failure: FailureKind) => {
			const facts = { kind: failure, ...(fate && { fate }) };
			return decideRetry(kind, new RequestFailure(facts), 1, 4, 0.5) !== undefined;
		};
		expect([...again, ...once].filter(isSentAgain)).toEqual(again);
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
		const request = { method: 'GET', url: '/v1/videos' } as const;
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

const NOW = Date.parse('2026-03-01T12:00:00Z');

test.each<[value: unknown, date: string | undefined, delayMs: number | undefined]>([
	['1', undefined, 1000],
	[' 120 ', undefined, 120_000],
	['0', undefined, 0],
	['0.5', undefined, 500],
	[2, undefined, 2000],
	// A date is compared with the response's own, and with this machine's clock without a readable one.
	['Wed, 01 Jan 2025 00:00:07 GMT', 'Wed, 01 Jan 2025 00:00:02 GMT', 5000],
	['Sun, 01 Mar 2026 12:00:03 GMT', 'soon', 3000],
	['Sun, 01 Mar 2026 11:00:00 GMT', undefined, 0],
	...[undefined, '', 'soon', '-1', null, ['1', '2']].map(
		(none): [unknown, undefined, undefined] => [none, undefined, undefined],
	),
])('Retry-After: %j, in a response of %j, is %p ms', (value, date, expected) => {
	expect(getRetryAfterMs({ 'retry-after': value, date }, NOW)).toBe(expected);
});
