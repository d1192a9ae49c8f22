import type { IHttpRequestOptions } from 'n8n-workflow';
import { fetchFromApi, type Service } from '../../../nodes/VideoGeneration/api/request';
import { getRetryAfterMs } from '../../../nodes/VideoGeneration/api/response';
import { decideRetry, sendWithRetries } from '../../../nodes/VideoGeneration/api/retry';
import type {
	FailureFacts,
	FailureKind,
	Fate,
	SharedKind,
} from '../../../nodes/VideoGeneration/failures/failure';
import { RequestFailure } from '../../../nodes/VideoGeneration/failures/failure';

const TRANSIENT: FailureKind[] = ['rateLimited', 'unreached', 'uncertain'];
const LASTING: FailureKind[] = [
	...(['redirected', 'rejected', 'unreadable', 'unsuccessful', 'incomplete'] as const),
	...(['blocked', 'unsent', 'badCredential', 'cancelled', 'timedOut'] as const),
];

describe('A failed request', () => {
	test.each<[string, Fate | undefined, again: FailureKind[], once: FailureKind[]]>([
		['read', undefined, TRANSIENT, LASTING],
		['add', undefined, [], [...TRANSIENT, ...LASTING]],
		['add', 'refused', ['rateLimited'], ['rejected']],
		['add', 'notSent', ['unreached'], ['unsent']],
		['add', 'unknown', [], TRANSIENT],
	])('of the kind %s and the fate %s is sent again where it was %j', (kind, fate, again, once) => {
		const isSentAgain = (failure: FailureKind) => {
			const facts = { kind: failure, ...(fate && { fate }) } as FailureFacts;
			return decideRetry(kind === 'add', new RequestFailure(facts), 1, 4, 0.5) !== undefined;
		};
		expect([...again, ...once].filter(isSentAgain)).toEqual(again);
	});

	test.each(['501', '505'])('is sent once after a %s, which no later try mends', (httpCode) => {
		const failure = new RequestFailure({ kind: 'uncertain', httpCode });
		expect(decideRetry(false, failure, 1, 4, 0.5)).toBeUndefined();
	});

	test('waits for a random part of 1 s, doubled each time, at most 30 s', () => {
		const failure = new RequestFailure({ kind: 'uncertain' });
		const longest = [1, 2, 3, 4, 5, 6, 9].map((tryNumber) =>
			decideRetry(false, failure, tryNumber, 10, 1),
		);
		expect(longest).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
		expect(decideRetry(false, failure, 3, 10, 0)).toBe(0);
		expect(decideRetry(false, failure, 3, 10, 0.25)).toBe(1000);
	});

	test('waits as long as the service asks, up to 120 s, whatever the back-off would be', () => {
		const after = (retryAfterMs: number) =>
			decideRetry(false, new RequestFailure({ kind: 'uncertain', retryAfterMs }), 1, 4, 1);
		// By the back-off: the rest of a second is rounded down to 0.
		expect(after(0)).toBe(1_000);
		expect(after(120_000)).toBe(120_000);
		expect(after(120_001)).toBeUndefined();
	});
});

test('An outage ends with an answer of the service, also one that fails', async () => {
	const outage = { isUnderWay: true };
	const fail = async (httpCode: string, kind: SharedKind) => {
		const send = async () => await Promise.reject(new RequestFailure({ kind, httpCode }));
		await expect(sendWithRetries(send, { maxTries: 4, outage })).rejects.toThrow(kind);
	};
	await fail('ECONNREFUSED', 'unreached');
	expect(outage.isUnderWay).toBe(true);
	await fail('503', 'uncertain');
	expect(outage.isUnderWay).toBe(false);
});

test.each([
	[30_000.5, {}, 30_001],
	[1e9, {}, 60_000],
	[1e9, { timeout: 5_000 }, 5_000],
	[10, {}, 1_000],
])(
	'%d ms before its deadline, a request with %j waits for its response for at most %d ms',
	async (leftMs, connection, expected) => {
		const response = { statusCode: 200, headers: {}, body: { status: 'success' } };
		const respond = async () => await Promise.resolve(response);
		const send = jest.fn<Promise<object>, [string, IHttpRequestOptions]>(respond);
		const context = { helpers: { httpRequestWithAuthentication: send } };
		const service = { context, hide: String } as unknown as Service;
		const options = { maxTries: 1, connection, deadline: performance.now() + leftMs };
		await fetchFromApi(service, { method: 'GET', url: '/v1/videos' }, options);
		const timeout = send.mock.calls[0]?.[1].timeout ?? NaN;
		expect(Number.isInteger(timeout)).toBe(true);
		expect(timeout).toBeGreaterThan(expected - 2_000);
		expect(timeout).toBeLessThanOrEqual(expected);
	},
);

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
