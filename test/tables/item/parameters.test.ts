import type { IExecuteFunctions, IExecuteSingleFunctions } from 'n8n-workflow';
import { NodeOperationError, tryToParseDateTime } from 'n8n-workflow';
import {
	getBatching,
	getConnection,
	getId,
	getLimit,
	getMaxTries,
	getSwitch,
	parseNumber,
	requireText,
} from '../../../nodes/VideoGeneration/item/parameters';
import { getOrder } from '../../../nodes/VideoGeneration/resources/order';
import { getWaitSettings, waitFields } from '../../../nodes/VideoGeneration/resources/waitOptions';
import { like } from '../../support/like';
import { listParameters } from '../../support/listParameters';

/** The default of the field, in seconds. */
const USUAL_INTERVAL = Number(
	listParameters(waitFields).find(({ name }) => name === 'pollingInterval')?.default,
);

type Context = IExecuteFunctions & IExecuteSingleFunctions;

/** Creates the context of an item of a node with these parameters, which n8n has evaluated. */
function createContext(parameters: object, workflowId = 'w1'): Context {
	const get = (name: string) =>
		name
			.split('.')
			.reduce<unknown>(
				(value, part) => (value as Record<string, unknown> | null | undefined)?.[part],
				parameters,
			);
	return {
		getNode: () => ({ name: 'Video Generation', type: 't' }),
		getWorkflow: () => ({ id: workflowId }),
		helpers: { checkProcessedAndRecord: undefined },
		getNodeParameter: (name: string, ...rest: unknown[]) =>
			get(name) ?? rest.findLast((each) => typeof each !== 'number'),
	} as unknown as Context;
}

/** Reads a value as each kind of parameter. */
const READ = {
	text: (prompt: unknown) => requireText(createContext({}), prompt, 'Prompt'),
	id: (id: unknown) => getId(createContext({ id }), 'id', 'Queue ID'),
	project: (id: unknown) => getId(createContext({ id }), 'id', 'Project'),
	switch: (on: unknown) => getSwitch(createContext({ on }), 'on', 'Return All'),
	number: parseNumber,
	maxTries: (maxTries: unknown) => getMaxTries(createContext({ options: { maxTries } })),
	key: (uniqueKey: unknown) =>
		getOrder(createContext({ projectId: 'p', options: { uniqueKey } }), false).uniqueKey,
	keyInNewWorkflow: (uniqueKey: unknown) =>
		getOrder(createContext({ projectId: 'p', options: { uniqueKey } }, ''), false).uniqueKey,
	cost: (creditsPerVideo: unknown) =>
		getOrder(
			createContext({ projectId: 'p', options: { creditsToKeep: 0, creditsPerVideo } }),
			false,
		),
	limit: (limit: unknown) => getLimit(createContext({ limit })),
	interval: (pollingInterval: unknown) =>
		getWaitSettings(createContext({ waitOptions: { pollingInterval } })).intervalMs,
	waitTimeout: (timeout: unknown) =>
		getWaitSettings(createContext({ waitOptions: { timeout } })).timeoutMs,
	insecure: (allowUnauthorizedCerts: unknown) =>
		getConnection(createContext({ requestOptions: { allowUnauthorizedCerts } })),
	timeout: (timeout: unknown) =>
		getConnection(createContext({ requestOptions: { timeout } })).timeout,
	proxy: (proxy: unknown) => getConnection(createContext({ requestOptions: { proxy } })).proxy,
	batch: (batch: unknown) =>
		getBatching(createContext({ requestOptions: { batching: { batch } } })),
};
type Kind = keyof typeof READ;

const locate = (value: unknown) => ({ __rl: true, mode: 'id', value });

/** The longest timeout that a timer takes. */
const LONGEST = 2 ** 31 - 1;

test.each<[Kind, given: unknown, expected: unknown]>([
	['text', 'Rain', 'Rain'],
	['text', 0, '0'],
	['text', false, 'false'],
	// A database node gives dates, which the editor shows as these texts.
	['text', new Date(0), '1970-01-01T00:00:00.000Z'],
	['key', tryToParseDateTime('2026-01-31', 'UTC'), '2026-01-31T00:00:00.000Z'],
	['id', ' p-1\n', 'p-1'],
	['id', 42, '42'],
	['project', 'p-1', 'p-1'],
	['project', locate(' p-1\n'), 'p-1'],
	...[true, 'true', 'TRUE', ' True\n', 1, '1'].map((on): [Kind, unknown, boolean] => {
		return ['switch', on, true];
	}),
	...[false, 'false', 'FALSE', 0, '0', '', ' '].map((off): [Kind, unknown, boolean] => {
		return ['switch', off, false];
	}),
	['number', 5, 5],
	['number', '5', 5],
	['number', '', undefined],
	['number', null, undefined],
	['number', undefined, undefined],
	['number', true, NaN],
	['maxTries', '10', 10],
	['key', ' row 1 ', 'row 1'],
	['key', 7, '7'],
	['limit', '7', 7],
	['limit', undefined, 50],
	['interval', undefined, USUAL_INTERVAL * 1_000],
	['interval', '1.5', 1_500],
	['waitTimeout', undefined, 1_800_000],
	['waitTimeout', 60, 60_000],
	['insecure', undefined, { skipSslCertificateValidation: false }],
	...[true, 'TRUE', 1].map((on): [Kind, unknown, object] => {
		return ['insecure', on, { skipSslCertificateValidation: true }];
	}),
	['timeout', '10000', 10_000],
	['timeout', '1500.4', 1500],
	['timeout', 0, undefined],
	['timeout', -5, undefined],
	['timeout', '5000000000', LONGEST],
	['timeout', Infinity, LONGEST],
	['proxy', 'http://a.example:3128', { host: 'a.example', port: 3128, protocol: 'http' }],
	['proxy', 'https://a.example', { host: 'a.example', port: 443, protocol: 'https' }],
	['proxy', 'http://a.example', { host: 'a.example', port: 80, protocol: 'http' }],
	[
		'proxy',
		'http://us%40er:p%3Ass@10.0.0.1:8080',
		{
			...{ host: '10.0.0.1', port: 8080, protocol: 'http' },
			auth: { username: 'us@er', password: 'p:ss' },
		},
	],
	['batch', undefined, { size: 1, intervalMs: 0 }],
	['batch', { batchSize: '50', batchInterval: '999.6' }, { size: 50, intervalMs: 1000 }],
	// As n8n's field says of -1.
	['batch', { batchSize: '-1', batchInterval: 1000 }, { size: Infinity, intervalMs: 1000 }],
])('As %s, %j is taken as %j', (kind, given, expected) => {
	expect(READ[kind](given)).toEqual(expected);
});

const MAX_TRIES = "'Max Tries' must be a whole number from 1 to 10";
const LIMIT = "'Limit' must be a whole number of 1 or more";
const INTERVAL = "'Polling Interval' must be a number of 1 or more";
const NO_PROXIES = ['a.example:3128', 'socks5://a:1', 'a', 'http://%E0%A4%A@a', 5, {}];

test.each<[Kind, given: unknown[], message: string, description: RegExp]>([
	['text', [['a'], { a: 1 }, () => 1, NaN], "'Prompt' must be text", /^Enter .*Nothing was sent/],
	['id', [['a'], true], "'Queue ID' must be an ID", /^Enter .*Nothing was sent/],
	['project', [locate({ a: 1 })], "'Project' must be an ID", /^Enter /],
	['switch', ['yes', 2, []], "'Return All' must be true or false", /^Turn it on.*Nothing was sent/],
	['insecure', ['maybe'], "'Ignore SSL Issues (Insecure)' must be true or false", /^Turn it on/],
	['maxTries', [0, 11, 2.5, 'many', true], MAX_TRIES, /^Correct 'Max Tries'\. /],
	['key', [' '], "'Unique Key' is empty", /^Enter a value.*its ID.*Nothing was sent/],
	['key', [[1], new Date(NaN)], "'Unique Key' must be text", /Nothing was sent/],
	['keyInNewWorkflow', ['a'], "'Unique Key' cannot be used here", /^n8n keeps.*Save the/],
	['cost', [0, -1, 'one'], "'Credits per Video' must be a number above 0", /^Correct 'Credits per/],
	['limit', [0, -1, 1.5, 'all'], LIMIT, /^Correct 'Limit'\. /],
	['interval', [0, 0.5, -1, 'soon', NaN, Infinity, []], INTERVAL, /^Correct 'Poll/],
	['waitTimeout', [0.5], "'Timeout' must be a number of 1 or more", /^Correct 'Timeout'/],
	['timeout', ['10 s', true, [1]], "'Timeout' must be a number", /under 'Request Options'/],
	['proxy', NO_PROXIES, "'Proxy' must be an address", /as http:\/\/proxy\.example\.com:3128\./],
])('As %s, each of %p is refused: %s', (kind, values, message, description) => {
	for (const given of values) {
		let error: unknown;
		try {
			READ[kind](given);
		} catch (thrown) {
			error = thrown;
		}
		expect(error).toBeInstanceOf(NodeOperationError);
		expect(error).toMatchObject({ message, description: like(description) });
	}
});

test("'Limit' does not matter with 'Return All'", () => {
	expect(getLimit(createContext({ limit: 0, returnAll: 'true' }))).toBe(Infinity);
});
