import type { IExecuteFunctions, IExecuteSingleFunctions, INodeParameters } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import {
	getId,
	getLimit,
	getMaxTries,
	getProjectId,
	getSwitch,
	getText,
	parseNumber,
	getBatching,
	getConnection,
} from '../../../nodes/VideoGeneration/item/parameters';
import { parseDateTime, selectVideos } from '../../../nodes/VideoGeneration/resources/video/getAll';
import { getWaitSettings } from '../../../nodes/VideoGeneration/resources/waitOptions';

type Context = IExecuteFunctions & IExecuteSingleFunctions;

/** Creates the context of an item of a node with these parameters, which n8n has evaluated. */
function createContext(parameters: object, json: object = {}, raw = parameters): Context {
	const get = (name: string) =>
		name
			.split('.')
			.reduce<unknown>(
				(value, part) => (value as Record<string, unknown> | null | undefined)?.[part],
				parameters,
			);
	return {
		getNode: () => ({ name: 'Video Generation', type: 't', parameters: raw as INodeParameters }),
		getInputData: () => ({ json }),
		getItemIndex: () => 3,
		getNodeParameter: (name: string, ...rest: unknown[]) =>
			get(name) ?? rest.findLast((each) => typeof each !== 'number'),
	} as unknown as Context;
}

/** Returns the error about a parameter. */
function catchError(run: () => unknown): NodeOperationError {
	try {
		run();
	} catch (error) {
		expect(error).toBeInstanceOf(NodeOperationError);
		return error as NodeOperationError;
	}
	throw new Error('Nothing was refused');
}

const WRONG_TYPES: [unknown, string][] = [
	[['a'], 'a list'],
	[{ a: 1 }, 'an object'],
	[() => 1, 'something else'],
];

describe('A text', () => {
	test.each([
		['Rain', 'Rain'],
		['', ''],
		[0, '0'],
		[false, 'false'],
	])('that is given as %j is %j', (value, expected) => {
		expect(getText(createContext({ prompt: value }), 'prompt', 'Prompt')).toBe(expected);
	});

	test.each(WRONG_TYPES)('that is %p is refused by a sentence with the field', (value, found) => {
		const error = catchError(() => getText(createContext({ prompt: value }), 'prompt', 'Prompt'));
		expect(error.message).toBe("'Prompt' must be text");
		expect(error.description).toMatch(new RegExp(`^It is ${found}\\. .*Nothing was sent`));
		expect(error.context.itemIndex).toBe(3);
	});

	test.each(['={{ $json.prompt }}', '={{$json.prompt}}'])(
		'is taken from the item itself where the parameter says %s',
		(raw) => {
			for (const prompt of ['q-1', '', 7]) {
				const context = createContext({ prompt: 'by n8n' }, { prompt }, { prompt: raw });
				expect(getText(context, 'prompt', 'Prompt')).toBe(String(prompt));
			}
			const context = createContext({ prompt: 'by n8n' }, { prompt: null }, { prompt: raw });
			expect(getText(context, 'prompt', 'Prompt')).toBe('');
		},
	);

	test.each([
		...['q-1', '={{ $json.id }}', '={{ $json.prompt.trim() }}', '={{ $json.prompt }}-2'],
		...['=a {{ $json.prompt }}', '={{ $json.toString }}'],
	])('is what n8n evaluates where the parameter says %j', (raw) => {
		const context = createContext({ prompt: 'by n8n' }, { prompt: 'q-1' }, { prompt: raw });
		expect(getText(context, 'prompt', 'Prompt')).toBe('by n8n');
	});
});

describe('An ID', () => {
	test.each([
		['p-1', 'p-1'],
		[' p-1\n', 'p-1'],
		[42, '42'],
		['', ''],
	])('that is given as %j is %j', (id, expected) => {
		expect(getId(createContext({}), id, 'Queue ID')).toBe(expected);
		expect(getProjectId(createContext({}), id)).toBe(expected);
		const locator = { __rl: true, mode: 'id', value: id };
		expect(getProjectId(createContext({}), locator)).toBe(expected);
	});

	test.each([...WRONG_TYPES, [true, 'something else'] as const])(
		'that is %p is refused by a sentence with the field',
		(value, found) => {
			const error = catchError(() => getId(createContext({}), value, 'Queue ID'));
			expect(error.message).toBe("'Queue ID' must be an ID");
			expect(error.description).toContain(`It is ${found}.`);
			const locator = { __rl: true, mode: 'id', value };
			expect(catchError(() => getProjectId(createContext({}), locator)).message).toBe(
				"'Project' must be an ID",
			);
		},
	);
});

describe('A switch', () => {
	test.each([true, 'true', 'TRUE', ' True\n', 1, '1'])('is on for %j', (value) => {
		expect(getSwitch(createContext({ on: value }), 'on', 'On')).toBe(true);
	});

	test.each([false, 'false', 'FALSE', 0, '0', '', ' '])('is off for %j', (value) => {
		expect(getSwitch(createContext({ on: value }), 'on', 'On')).toBe(false);
	});

	test.each([
		['yes', 'It is "yes".'],
		[2, 'It is 2.'],
		[[], 'It is a list.'],
		[{}, 'It is an object.'],
	])('that is %j is refused by a sentence with the field', (value, found) => {
		const error = catchError(() => getSwitch(createContext({ on: value }), 'on', 'Return All'));
		expect(error.message).toBe("'Return All' must be true or false");
		expect(error.description).toContain(found);
	});
});

describe('A number', () => {
	test.each([
		[5, 5],
		['5', 5],
		[' 5.5 ', 5.5],
		['', undefined],
		[null, undefined],
		[undefined, undefined],
		['soon', NaN],
		[true, NaN],
		[[1], NaN],
	])('that is given as %j is %p', (value, expected) => {
		expect(parseNumber(value)).toBe(expected);
	});

	test.each([1, 4, 10, '10'])("in 'Max Tries' may be %j", (maxTries) => {
		expect(getMaxTries(createContext({ options: { maxTries } }))).toBe(Number(maxTries));
	});

	test.each([0, 11, 2.5, 'many', true])("in 'Max Tries' may not be %j", (maxTries) => {
		const error = catchError(() => getMaxTries(createContext({ options: { maxTries } })));
		expect(error.message).toBe("'Max Tries' must be a whole number from 1 to 10");
		expect(error.description).toMatch(/^Correct 'Max Tries' under 'Options'\. Nothing was sent/);
	});

	test("in 'Limit' is 1 or more, and does not matter with 'Return All'", () => {
		expect(getLimit(createContext({ limit: '7' }))).toBe(7);
		expect(getLimit(createContext({}))).toBe(50);
		expect(getLimit(createContext({ limit: 0, returnAll: 'true' }))).toBe(Infinity);
		for (const limit of [0, -1, 1.5, 'all']) {
			const error = catchError(() => getLimit(createContext({ limit })));
			expect(error.message).toBe("'Limit' must be a whole number of 1 or more");
		}
	});

	test("of seconds in 'Wait Options' is 1 or more", () => {
		const get = (waitOptions: unknown) => getWaitSettings(createContext({ waitOptions }));
		expect(get(undefined)).toMatchObject({ intervalMs: 5_000, timeoutMs: 1_800_000 });
		expect(get({ pollingInterval: '1.5', timeout: 60 })).toMatchObject({
			...{ intervalMs: 1_500, timeoutMs: 60_000 },
		});
		for (const [name, label] of [
			['pollingInterval', 'Polling Interval'],
			['timeout', 'Timeout'],
		] as const) {
			for (const value of [0, 0.5, -1, 'soon', NaN, Infinity, []]) {
				const error = catchError(() => get({ [name]: value }));
				expect(error.message).toBe(`'${label}' must be 1 second or more`);
				expect(error.description).toContain(`Correct '${label}' under 'Wait Options'.`);
			}
		}
	});
});

describe("n8n's Request Options", () => {
	const get = (requestOptions: unknown) => getConnection(createContext({ requestOptions }));

	test('are no timeout of their own, no proxy and checked certificates by default', () => {
		expect(get({})).toEqual({});
		expect(get(undefined)).toEqual({});
		for (const allowUnauthorizedCerts of [true, 'TRUE', 1]) {
			const settings = { skipSslCertificateValidation: true };
			expect(get({ allowUnauthorizedCerts })).toEqual(settings);
		}
		expect(catchError(() => get({ allowUnauthorizedCerts: 'maybe' })).message).toBe(
			"'Ignore SSL Issues (Insecure)' must be true or false",
		);
	});

	test.each([
		['10000', 10_000],
		[1500.5, 1501],
		['1500.4', 1500],
		[0, undefined],
		[-5, undefined],
		[null, undefined],
	])('with a timeout of %j are %d ms', (timeout, expected) => {
		expect(get({ timeout }).timeout).toBe(expected);
	});

	test.each(['10 s', true, [1]])('with a timeout of %j are refused', (timeout) => {
		expect(catchError(() => get({ timeout })).message).toBe("'Timeout' must be a number");
	});

	test.each([2 ** 31, 5e9, '5000000000', Infinity])(
		'with a timeout of %j are one that a timer takes',
		(timeout) => {
			expect(get({ timeout }).timeout).toBeGreaterThan(2e9);
			expect(get({ timeout }).timeout).toBeLessThan(2 ** 31);
		},
	);

	test.each([
		['http://proxy.example.com:3128', { host: 'proxy.example.com', port: 3128, protocol: 'http' }],
		['https://proxy.example.com', { host: 'proxy.example.com', port: 443, protocol: 'https' }],
		['http://proxy.example.com', { host: 'proxy.example.com', port: 80, protocol: 'http' }],
		[
			'http://us%40er:p%3Ass@10.0.0.1:8080',
			{
				...{ host: '10.0.0.1', port: 8080, protocol: 'http' },
				auth: { username: 'us@er', password: 'p:ss' },
			},
		],
	])('take %s for a proxy', (proxy, expected) => {
		expect(get({ proxy }).proxy).toEqual(expected);
	});

	test.each([
		...['proxy.example.com:3128', 'socks5://proxy:1080', 'proxy', 'http://%E0%A4%A@proxy'],
		...[5, {}],
	])('refuse %j, and say what a proxy looks like', (proxy) => {
		const error = catchError(() => get({ proxy }));
		expect(error.message).toBe("'Proxy' must be an address");
		expect(error.description).toContain('http://proxy.example.com:3128');
	});

	test.each([
		[undefined, { size: 1, intervalMs: 0 }],
		[
			{ batchSize: '50', batchInterval: '999.6' },
			{ size: 50, intervalMs: 1000 },
		],
		// As n8n's field says of -1.
		[
			{ batchSize: '-1', batchInterval: 1000 },
			{ size: Infinity, intervalMs: 1000 },
		],
		[null, { size: 1, intervalMs: 0 }],
	])('make batches of %j', (batch, expected) => {
		const context = createContext({ requestOptions: { batching: { batch } } });
		expect(getBatching(context)).toEqual(expected);
	});
});

describe('A date', () => {
	const parse = (value: unknown, timeZone = 'UTC') => {
		const time = parseDateTime(value, timeZone);
		return time === undefined ? undefined : new Date(time).toISOString();
	};

	test.each([
		['2026-01-31T12:00:00', 'UTC', '2026-01-31T12:00:00.000Z'],
		['2026-01-31T12:00:00', 'Europe/Berlin', '2026-01-31T11:00:00.000Z'],
		['2026-07-31T12:00:00', 'Europe/Berlin', '2026-07-31T10:00:00.000Z'],
		['2026-03-29T01:59:00', 'Europe/Berlin', '2026-03-29T00:59:00.000Z'],
		['2026-03-29T03:00:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
		['2026-01-31', 'America/New_York', '2026-01-31T05:00:00.000Z'],
		['2026-01-31 12:30', 'Asia/Kolkata', '2026-01-31T07:00:00.000Z'],
		['2026-01-31T12:00:00.5', 'UTC', '2026-01-31T12:00:00.500Z'],
		['2026-01-31 9:05', 'Asia/Tokyo', '2026-01-31T00:05:00.000Z'],
	])("of %s without a time zone is meant in the workflow's: %s", (value, timeZone, expected) => {
		expect(parse(value, timeZone)).toBe(expected);
	});

	test.each([
		['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
		['2026-01-31T12:00:00.123+02:00', '2026-01-31T10:00:00.123Z'],
		['2026-01-31T23:00:00-05:00', '2026-02-01T04:00:00.000Z'],
		[new Date('2026-01-31T12:00:00Z'), '2026-01-31T12:00:00.000Z'],
	])('of %s with a time zone keeps it', (value, expected) => {
		expect(parse(value, 'Asia/Kolkata')).toBe(expected);
	});

	test.each([
		...['soon', '2026', '2026-02-31', '2026-13-01', '31.01.2026', '2026-01-31Tx', ''],
		...[true, {}, []],
	])('is not %j', (value) => {
		expect(parse(value)).toBeUndefined();
	});
});

describe('The filters of Video > Get Many', () => {
	const video = (id: string, createdAt?: string, projectId = 'p1') =>
		JSON.parse(JSON.stringify({ id, createdAt, projectId })) as { id: string };
	const videos = [
		video('b', '2026-01-02T00:00:00Z'),
		video('unreadable', 'soon'),
		video('c', '2026-01-03T01:00:00+02:00', 'p2'),
		video('bare', '2026-01-02T20:00:00'),
		video('a', '2026-01-01T00:00:00Z', 'p2'),
		video('missing'),
	];
	const ALL = { projectId: '', createdAfter: undefined, createdBefore: undefined };
	const select = (filter: Partial<Parameters<typeof selectVideos>[1]>, from = videos) =>
		selectVideos(from, { ...ALL, ...filter }).map(({ id }) => id);

	test('put the newest first, whatever their time zones, and those without a date last', () => {
		const before = [...videos];
		expect(select({})).toEqual(['c', 'bare', 'b', 'a', 'unreadable', 'missing']);
		expect(videos).toEqual(before);
	});

	test('keep the order of the service for videos of the same time', () => {
		const same = ['x', 'y', 'z'].map((id) => video(id, '2026-01-01T00:00:00Z'));
		expect(select({}, same)).toEqual(['x', 'y', 'z']);
	});

	test('select a project, and what lies between two times, both exclusive', () => {
		const second = Date.parse('2026-01-02T00:00:00Z');
		expect(select({ projectId: 'p2' })).toEqual(['c', 'a']);
		expect(select({ createdAfter: second })).toEqual(['c', 'bare']);
		expect(select({ createdBefore: second })).toEqual(['a']);
		expect(select({ createdAfter: second - 1, createdBefore: second + 1 })).toEqual(['b']);
	});
});
