import { Readable } from 'node:stream';
import fc from 'fast-check';
import { encodePathSegment } from '../../../nodes/VideoGeneration/api/endpoints';
import {
	checkBody,
	getServiceMessage,
	isObject,
	requireObject,
	requireList,
	toText,
} from '../../../nodes/VideoGeneration/api/response';
import { MAX_OBJECT_BYTES, receiveBody } from '../../../nodes/VideoGeneration/api/responseBody';
import { RequestFailure } from '../../../nodes/VideoGeneration/failures/failure';

/** Returns the failure that `run` ends with. */
async function catchFailure(run: () => unknown) {
	try {
		await run();
	} catch (error) {
		expect(error).toBeInstanceOf(RequestFailure);
		const { kind, ...facts } = (error as RequestFailure).facts;
		return { kind, facts };
	}
	throw new Error('There was no failure');
}

const check = (statusCode: number, body: unknown, headers: Record<string, string> = {}) =>
	checkBody({ statusCode, headers }, body);

describe('A response', () => {
	test('of 200 with the status success is passed on', () => {
		const body = { status: 'success', videos: [] };
		expect(check(200, body)).toBe(body);
	});

	test('that is a list without its envelope is passed on', () => {
		expect(check(200, [{ id: '1' }])).toEqual([{ id: '1' }]);
	});

	test.each([
		[429, 'rateLimited'],
		...[500, 501, 502, 503, 504, 505, 524, 529].map((status) => [status, 'uncertain'] as const),
		...[300, 301, 307, 308].map((status) => [status, 'redirected'] as const),
		...[400, 401, 402, 403, 404, 407, 408, 418].map((status) => [status, 'rejected'] as const),
	] as const)('of %d is %s', async (statusCode, kind) => {
		const failure = await catchFailure(() => check(statusCode, { status: 'error' }));
		expect(failure).toEqual({ kind, facts: { httpCode: String(statusCode) } });
	});

	test('of 404 with a web page says that it is one', async () => {
		const { facts } = await catchFailure(() => check(404, '<html></html>'));
		expect(facts).toEqual({ httpCode: '404', content: 'html' });
	});

	test.each([429, 503])('of %d keeps how long the service asks to wait', async (statusCode) => {
		const { facts } = await catchFailure(() => check(statusCode, {}, { 'retry-after': '3' }));
		expect(facts.retryAfterMs).toBe(3000);
	});

	test("of an error keeps the service's own words, and of a redirect where it leads", async () => {
		const { facts } = await catchFailure(() => check(400, { message: 'Bad.' }));
		expect(facts.serviceMessage).toBe('Bad.');
		const redirect = await catchFailure(() => check(302, '', { location: 'https://b.example' }));
		expect(redirect.facts.location).toBe('https://b.example');
	});

	test.each([
		['', 'empty'],
		[undefined, 'empty'],
		[null, 'empty'],
		['<!doctype html><html></html>', 'html'],
		['\n <html>', 'html'],
		['{"status":"succ', 'cutOff'],
		['[{"id":', 'cutOff'],
		['OK', 'other'],
		[5, 'other'],
	])('of 200 with the body %j is unreadable: %s', async (body, content) => {
		expect(await catchFailure(() => check(200, body))).toEqual({
			...{ kind: 'unreadable', facts: { httpCode: '200', content } },
		});
	});

	test.each([
		[{ status: 'error', message: 'Down.' }, { bodyStatus: 'error' }],
		[{ status: 'ok', message: 'Down.' }, { bodyStatus: 'ok' }],
		[{ message: 'Down.' }, {}],
	])('of 200 with %j was not successful', async (body, facts) => {
		expect(await catchFailure(() => check(200, body))).toEqual({
			...{ kind: 'unsuccessful', facts: { httpCode: '200', serviceMessage: 'Down.', ...facts } },
		});
	});
});

describe("The service's own words", () => {
	test.each([
		[{ message: 'A' }, 'A'],
		[{ error: 'B' }, 'B'],
		[{ error: { message: 'C' } }, 'C'],
		[{ detail: 'D' }, 'D'],
		[{ message: ' ', error: 'B' }, 'B'],
		[{ message: 5, detail: 'D' }, 'D'],
		[{ detail: [{ loc: ['body', 'customPrompt'], msg: 'E' }] }, 'E'],
		[{ errors: [{ field: 'customPrompt', message: 'F' }] }, 'F'],
		[{ errors: ['G'] }, 'G'],
		['At most 500 characters', 'At most 500 characters'],
	])('are found in %j', (body, expected) => {
		expect(getServiceMessage(body)).toEqual({ serviceMessage: expected });
	});

	test.each([
		undefined,
		null,
		'<p>Oh</p>',
		'{"message":',
		{},
		{ message: '' },
		{ error: { code: 1 } },
		[],
	])('are missing in %j', (body) => {
		expect(getServiceMessage(body)).toEqual({});
	});
});

describe('A body', () => {
	const receive = async (text: string, maxBytes = MAX_OBJECT_BYTES, statusCode = 200) =>
		await receiveBody(
			{ statusCode, headers: {}, hide: String, body: Readable.from([Buffer.from(text)]) },
			maxBytes,
		);

	test.each(['{"a":1}', '\ufeff{"a":1}', '[]', '"text"', 'null'])(
		'of %j is parsed',
		async (text) => {
			expect(await receive(text)).toEqual(JSON.parse(text.replace('\ufeff', '')));
		},
	);

	test('that is not JSON is known by its first 100 characters', async () => {
		expect(await receive(`<html>${'x'.repeat(1000)}`)).toHaveLength(100);
	});

	test('that exceeds a limit is refused before it is made', async () => {
		const failure = await catchFailure(() => receive(`"${'x'.repeat(1024 ** 2)}"`));
		const facts = { httpCode: '200', content: 'tooLarge', limit: '1 MiB' };
		expect(failure).toEqual({ kind: 'unreadable', facts });
	});

	test('of an error that never ends or breaks off does not hide the status', async () => {
		const endless = Readable.from([Buffer.alloc(65 * 1024)]);
		const response = { statusCode: 403, headers: {}, hide: String, body: endless };
		expect(await receiveBody(response, MAX_OBJECT_BYTES)).toBeUndefined();
		const broken = new Readable({
			read() {
				this.destroy(new Error('aborted'));
			},
		});
		expect(await receiveBody({ ...response, body: broken }, MAX_OBJECT_BYTES)).toBeUndefined();
	});

	test.each([
		[new Error('aborted'), 'ECONNRESET'],
		[Object.assign(new Error('late'), { code: 'ETIMEDOUT' }), 'ETIMEDOUT'],
		[undefined, 'ECONNRESET'],
	])('that breaks off with %s leaves the fate open', async (error, httpCode) => {
		const body = new Readable({
			read() {
				this.destroy(error);
			},
		});
		const failure = await catchFailure(() =>
			receiveBody({ statusCode: 200, headers: {}, hide: String, body }, MAX_OBJECT_BYTES),
		);
		expect(failure).toEqual({ kind: 'uncertain', facts: { httpCode } });
	});
});

describe('What the specification promises', () => {
	test('is there, or the failure names it', async () => {
		expect(requireObject({ details: { a: 1 } }, 'details')).toEqual({ a: 1 });
		for (const details of [undefined, null, 'x', 1, []]) {
			expect(await catchFailure(() => requireObject({ details }, 'details'))).toEqual({
				kind: 'incomplete',
				facts: { httpCode: '200', field: 'details' },
			});
		}
	});

	test('is a list of objects, without its odd entries', async () => {
		const odd = [null, 1, 'x', true, [], undefined, { id: 'a' }, [{ id: 'b' }], {}];
		expect(requireList({ videos: odd }, 'videos').filter(isObject)).toEqual([{ id: 'a' }, {}]);
		expect(requireList(odd as never, 'videos').filter(isObject)).toEqual([{ id: 'a' }, {}]);
		expect(requireList({ videos: null }, 'videos')).toEqual([]);
		expect(await catchFailure(() => requireList({ videos: {} }, 'videos'))).toMatchObject({
			...{ kind: 'incomplete', facts: { field: 'videos' } },
		});
	});

	test.each([
		['q', 'q'],
		[' q ', 'q'],
		[7, '7'],
		[null, ''],
		[['q'], ''],
		[{}, ''],
	])('as an ID that is %j is the text %j', (value, expected) => {
		expect(toText(value)).toBe(expected);
	});
});

describe('A value in a path', () => {
	test('is exactly one segment of it, and is decoded to what it was', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'binary' }), (value) => {
				const segment = encodePathSegment(value);
				if (segment === undefined) return;
				const { pathname, search, hash } = new URL(`/v1/queue/progress/${segment}`, 'http://x');
				expect(pathname.split('/')).toHaveLength(5);
				expect(decodeURIComponent(pathname.split('/')[4] ?? '')).toBe(value);
				expect(search + hash).toBe('');
			}),
		);
	});

	test.each(['', '.', '..', '\ud800'])('can never be %j', (value) => {
		expect(encodePathSegment(value)).toBeUndefined();
	});
});
