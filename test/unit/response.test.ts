import { Readable } from 'node:stream';
import fc from 'fast-check';
import { encodePathSegment } from '../../nodes/VideoGeneration/api/endpoints';
import { hideKey } from '../../nodes/VideoGeneration/api/hideKey';
import {
	checkBody,
	getServiceMessage,
	isObject,
	requireField,
	requireList,
	toText,
} from '../../nodes/VideoGeneration/api/response';
import {
	checkLevels,
	JsonSize,
	LIST_LIMITS,
	OBJECT_LIMITS,
	receiveBody,
} from '../../nodes/VideoGeneration/api/responseBody';
import { RequestFailure } from '../../nodes/VideoGeneration/failures/failure';

/** Returns the failure that `run` ends with. */
async function catchFailure(run: () => unknown): Promise<Pick<RequestFailure, 'kind' | 'facts'>> {
	try {
		await run();
	} catch (error) {
		expect(error).toBeInstanceOf(RequestFailure);
		const { kind, facts } = error as RequestFailure;
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
	])('of 200 with the body %j is unreadable: %s', async (body, found) => {
		expect(await catchFailure(() => check(200, body))).toEqual({
			...{ kind: 'unreadable', facts: { httpCode: '200', found } },
		});
	});

	test.each([
		[{ status: 'error', message: 'Down.' }, { found: 'error' }],
		[{ status: 'ok', message: 'Down.' }, { found: 'ok' }],
		[{ message: 'Down.' }, {}],
	])('of 200 with %j was not successful', async (body, found) => {
		expect(await catchFailure(() => check(200, body))).toEqual({
			...{ kind: 'unsuccessful', facts: { httpCode: '200', serviceMessage: 'Down.', ...found } },
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
		[{ message: '<b>No</b>\n\tcredits\u0000 <script>x</script>left' }, 'No credits x left'],
	])('are found in %j, as one line without markup', (body, expected) => {
		expect(getServiceMessage(body)).toBe(expected);
	});

	test.each([undefined, null, 'text', {}, { message: '' }, { error: { code: 1 } }, []])(
		'are missing in %j',
		(body) => {
			expect(getServiceMessage(body)).toBeUndefined();
		},
	);

	const KEY = 'vg+live/7Hq2x';
	const hide = async (serviceMessage: string) => {
		const failure = new RequestFailure('rejected', { serviceMessage });
		const getCredentials = async () => await Promise.resolve({ apiKey: ` Bearer ${KEY}\n` });
		return (await hideKey({ getCredentials } as never, failure)).facts.serviceMessage;
	};

	test.each([
		[`No such key: ${KEY}.`, 'No such key: [API key].'],
		[`/v1?key=${encodeURIComponent(KEY)}&a=1`, '/v1?key=[API key]&a=1'],
		[`${KEY} is not ${KEY}`, '[API key] is not [API key]'],
		['Nothing of it', 'Nothing of it'],
	])('lose the key in %j', async (words, expected) => {
		expect(await hide(words)).toBe(expected);
	});

	test('lose the key before they are shortened to 300 characters, wherever it stands', async () => {
		expect(await hide('x'.repeat(10_000))).toBe(`${'x'.repeat(299)}…`);
		for (let before = 280; before < 310; before++) {
			const hidden = await hide(`${'x'.repeat(before)}${KEY} is not known`);
			expect(hidden).not.toContain(KEY.slice(0, 4));
			expect(hidden?.length).toBeLessThanOrEqual(300);
		}
	});
});

function measureSize(json: string, partLength = json.length): JsonSize {
	const size = new JsonSize();
	for (let at = 0; at < json.length; at += partLength) {
		size.add(json.slice(at, at + partLength));
	}
	return size;
}

describe('A body', () => {
	const receive = async (text: string, limits = OBJECT_LIMITS, statusCode = 200) =>
		await receiveBody(
			{ statusCode, headers: {}, body: Readable.from([Buffer.from(text)]) },
			limits,
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

	test.each([
		[`"${'x'.repeat(1024 ** 2)}"`, { found: 'tooLarge', limit: '1 MiB' }],
		['['.repeat(101) + ']'.repeat(101), { found: 'tooDeep', limit: '100 levels' }],
		[`[${'0,'.repeat(10_000)}0]`, { found: 'tooManyParts', limit: '10000 values' }],
		[`[${'{},'.repeat(5_000)}{}]`, { found: 'tooManyParts', limit: '10000 values' }],
		[`{${'"a":1,'.repeat(10_000)}"a":1}`, { found: 'tooManyParts', limit: '10000 values' }],
	])('that exceeds a limit is refused before it is made', async (text, facts) => {
		expect(await catchFailure(() => receive(text))).toEqual({
			...{ kind: 'unreadable', facts: { httpCode: '200', ...facts } },
		});
	});

	test('of 64 MiB of commas is refused before it is parsed, which would take 4 GB', async () => {
		const commas = '0,'.repeat(512 * 1024);
		const list = Readable.from(
			(function* () {
				yield Buffer.from('[');
				for (let mib = 0; mib < 64; mib++) yield Buffer.from(commas);
				yield Buffer.from('0]');
			})(),
			{ objectMode: false },
		);
		const failure = await catchFailure(() =>
			receiveBody({ statusCode: 200, headers: {}, body: list }, LIST_LIMITS),
		);
		expect(failure.facts).toMatchObject({ found: 'tooManyParts', limit: '10000000 values' });
	});

	test.each([
		['only once', (deep: unknown, entry: unknown) => [deep, ...Array<unknown>(20_000).fill(entry)]],
		['at the end', (deep: unknown, entry: unknown) => [entry, entry, deep]],
		['in every entry', (deep: unknown) => Array<unknown>(20_000).fill(deep)],
	])('of a list with 101 levels %s is refused, and not with 100', async (_where, list) => {
		// The body and the list count as levels, too.
		const nest = (levels: number) =>
			JSON.parse('['.repeat(levels - 2) + ']'.repeat(levels - 2)) as unknown;
		const check = (levels: number) => {
			checkLevels(list(nest(levels), { id: '{[', url: null }));
		};
		check(100);
		const failure = await catchFailure(() => {
			check(101);
		});
		expect(failure).toMatchObject({ facts: { found: 'tooDeep', limit: '100 levels' } });
	});

	test('of an object as long as it may be is refused when it has 101 levels, however few its parts', async () => {
		const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
		const fill = (levels: number) =>
			`{"of":${nested(levels - 1)},"text":"`.padEnd(1024 ** 2 - 2, 'x') + '"}';
		expect(await receive(fill(100))).toHaveProperty('text');
		expect(await catchFailure(() => receive(fill(101)))).toMatchObject({
			facts: { found: 'tooDeep', limit: '100 levels' },
		});
	});

	test.each([
		['{}', 1, 1],
		['[]', 1, 1],
		['[0,0,0]', 3, 1],
		['{"a":[1,2],"b":{}}', 5, 2],
		['"a,b{[\\",{"', 0, 0],
		['{"a,\\\\":"\\"]"}', 1, 1],
		['"never ends, {', 0, 0],
	])('of %s has %d parts or a few more, and %d levels', (json, parts, levels) => {
		const counted = measureSize(json);
		expect(counted.levels).toBe(levels);
		expect(counted.parts).toBeGreaterThanOrEqual(parts);
		expect(counted.parts).toBeLessThanOrEqual(parts + 1);
	});

	test('has at least as many parts as values, whatever JSON it is and in parts of any length', () => {
		const escapes = fc.string({ unit: fc.constantFrom('\\', '"', ',', '{', 'a', 'é') });
		const values = fc.oneof(fc.jsonValue(), fc.array(escapes), fc.dictionary(escapes, escapes));
		fc.assert(
			fc.property(values, fc.integer({ min: 1, max: 9 }), (value, partLength) => {
				const json = JSON.stringify(value);
				const { parts, levels } = measureSize(json, partLength);
				expect(parts).toBeGreaterThanOrEqual(countEntries(value));
				expect(levels).toBe(measureDepth(value));
				expect(measureSize(json)).toMatchObject({ parts, levels });
			}),
			{ numRuns: 1_000 },
		);
	});

	test('of an error that never ends or breaks off does not hide the status', async () => {
		const endless = Readable.from([Buffer.alloc(65 * 1024)]);
		const response = { statusCode: 403, headers: {}, body: endless };
		expect(await receiveBody(response, OBJECT_LIMITS)).toBeUndefined();
		const broken = new Readable({
			read() {
				this.destroy(new Error('aborted'));
			},
		});
		expect(await receiveBody({ ...response, body: broken }, OBJECT_LIMITS)).toBeUndefined();
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
			receiveBody({ statusCode: 200, headers: {}, body }, OBJECT_LIMITS),
		);
		expect(failure).toEqual({ kind: 'uncertain', facts: { httpCode } });
	});
});

function countEntries(value: unknown): number {
	if (typeof value !== 'object' || value === null) return 0;
	const entries: unknown[] = Object.values(value);
	return entries.reduce<number>((sum, each) => sum + 1 + countEntries(each), 0);
}

function measureDepth(value: unknown): number {
	if (typeof value !== 'object' || value === null) return 0;
	return 1 + Math.max(0, ...Object.values(value).map(measureDepth));
}

describe('What the specification promises', () => {
	test('is there, or the failure names it', async () => {
		expect(requireField({ details: { a: 1 } }, 'details', 'object')).toEqual({ a: 1 });
		for (const details of [undefined, null, 'x', 1, []]) {
			expect(await catchFailure(() => requireField({ details }, 'details', 'object'))).toEqual({
				kind: 'incomplete',
				facts: { httpCode: '200', found: 'details' },
			});
		}
	});

	test('is a list of objects, without its odd entries', async () => {
		const odd = [null, 1, 'x', true, [], undefined, { id: 'a' }, [{ id: 'b' }], {}];
		expect(requireList({ videos: odd }, 'videos').filter(isObject)).toEqual([{ id: 'a' }, {}]);
		expect(requireList(odd as never, 'videos').filter(isObject)).toEqual([{ id: 'a' }, {}]);
		expect(await catchFailure(() => requireList({ videos: {} }, 'videos'))).toMatchObject({
			...{ kind: 'incomplete', facts: { found: 'videos' } },
		});
	});

	test.each([
		['q', 'q'],
		[' q ', 'q'],
		[7, '7'],
		[null, ''],
		[undefined, ''],
		[true, ''],
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
