import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IDataObject } from 'n8n-workflow';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { ActiveTrigger } from '../support/n8nServer/ActiveTrigger';
import { createLoadOptionsContext } from '../support/n8nServer/createLoadOptionsContext';
import { API_OPERATIONS, OPERATIONS } from '../support/engine/OPERATIONS';
import { NODE_TYPE, runNode } from '../support/engine/runNode';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { testCredential } from '../support/n8nServer/testCredential';
import { interceptLookUps } from '../support/n8nServer/TestCredentialsHelper';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();

/** The field that each operation requires in its response. */
const PROMISED = {
	'queue.add': 'newQueueItem',
	'queue.getProgress': 'details',
	'queue.clear': 'queueId',
	'video.getAll': 'videos',
	'project.getAll': 'projects',
	'account.get': 'usage',
};

const KEY = 'sandbox-key-of-ada-5f0c1d';

const FAULTS: [string, FaultSpec, string][] = [
	...[400, 402, 403, 404, 409, 500, 501].map((status): [string, FaultSpec, string] => [
		`${status}`,
		{ kind: 'status', status },
		`${status}`,
	]),
	[
		'401 that repeats the key',
		{ kind: 'status', status: 401, message: `Invalid key ${KEY}` },
		'401',
	],
	['500 with a web page', { kind: 'html', status: 500 }, '500'],
	['429', { kind: 'tooManyRequests', retryAfter: 'none' }, '429'],
	['reset', { kind: 'reset' }, 'ECONNRESET'],
	['hang', { kind: 'hang' }, 'ECONNABORTED'],
	['redirect', { kind: 'redirect', location: `http://127.0.0.1:1/?key=${KEY}` }, '302'],
	['redirect to a file', { kind: 'redirect', location: 'file:///etc/passwd', status: 307 }, '307'],
	['cut off', { kind: 'cutOff' }, '200'],
	['broken off', { kind: 'cutOff', ending: 'break' }, 'ECONNRESET'],
	['html', { kind: 'html' }, '200'],
	['empty body', { kind: 'emptyBody' }, '200'],
	['error envelope', { kind: 'errorEnvelope' }, '200'],
	['not JSON', { kind: 'status', status: 200, body: 'OK' }, '200'],
	['a list', { kind: 'status', status: 200, body: '[]' }, '200'],
	['null', { kind: 'status', status: 200, body: 'null' }, '200'],
	['no content', { kind: 'status', status: 204 }, '204'],
];

const TIMEOUT_MS = 150;
const DRIP: FaultSpec = { kind: 'endlessBody', pieceBytes: 1, delayMs: 20 };

const count = (operation: string) =>
	service.sandbox.requests.filter((request) => request.operation === operation).length;

const runOnce = async (name: (typeof API_OPERATIONS)[number], more: IDataObject = {}) =>
	await service.run(
		{ ...OPERATIONS[name], options: { maxTries: 1 }, ...more },
		{ items: [{ queueId: 'q' }] },
	);

async function activateTrigger(): Promise<ActiveTrigger> {
	const { url, apiKey } = service.sandbox;
	const trigger = await ActiveTrigger.create({
		credentials: { baseUrl: url, apiKey },
		storage: 'static data',
	});
	await trigger.activate();
	return trigger;
}

/** The processor time of some work, which other processes do not lengthen. */
async function measureCpuMs(work: () => Promise<unknown>): Promise<number> {
	const before = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}

const ODD_KEY = 'key+of/somebody==';
const LINK = `https://service.example/login?key=${encodeURIComponent(ODD_KEY)}`;
const pasted = ` Bearer ${ODD_KEY}\n`;
const credentials = () => ({ baseUrl: service.sandbox.url, apiKey: pasted });

const ECHOES: [string, FaultSpec][] = [
	['in its words', { kind: 'status', status: 401, message: `Invalid key ${ODD_KEY}` }],
	['in a link', { kind: 'redirect', location: LINK }],
];

/** Returns every text of an error, at any depth. */
const readAll = (error: unknown) =>
	JSON.stringify(error, Object.getOwnPropertyNames(error)) + JSON.stringify(error);

/**
 * All operations share the checks of a response: one read and the add get every fault, the others a few. Of
 * an add whose response breaks off, the queue ID is taken from the part that arrived.
 */
const CASES = API_OPERATIONS.flatMap((name) => {
	const missing = { kind: 'missingField', field: PROMISED[name] } as const;
	const isWhole = ['account.get', 'queue.add'].includes(name);
	return [
		...FAULTS.filter(([what]) => isWhole || /^(404|html|hang)$/.test(what)),
		['missing field', missing, '200'] as (typeof FAULTS)[number],
	].map((each) => [name, ...each] as const);
}).filter(([name, what]) => name !== 'queue.add' || !/^(broken|cut) off/.test(what));

test.each(CASES)(
	'%s says what is wrong when the service answers with %s',
	async (name, _what, fault, httpCode) => {
		// Some faults change a valid response, so there is a queue item to find.
		const { items } = await service.run(OPERATIONS['queue.add']);
		const queueId = items[0]?.json.queueId as string;
		service.sandbox.addFault({ ...fault, operation: name });
		const parameters = {
			...OPERATIONS[name],
			// A service that hangs never responds in time; every other response may take its time.
			requestOptions: { timeout: fault.kind === 'hang' ? 200 : 10_000 },
			options: { maxTries: 2 },
		};
		const { error, run: execution } = await runWithoutWaiting(() =>
			service.run(parameters, { items: [{ queueId }] }),
		);
		expect(error?.message).toMatch(/^[A-Z"].{10,}/);
		expect(error?.description).toMatch(/(\.|The service said: "[^"]+")$/);
		expect(error?.message).not.toContain('by a fault of the sandbox');
		expect(`${error?.message} ${error?.description}`).not.toMatch(/undefined|\[object|\n| {2}/);
		expect(error?.httpCode).toBe(httpCode);
		expect(JSON.stringify(execution)).not.toContain(KEY);
	},
);

describe('A redirect to another host', () => {
	test('is not followed, and the key is not sent there', async () => {
		const received: http.IncomingMessage[] = [];
		const other = http.createServer((request, response) => {
			received.push(request);
			response.end('{"status":"success"}');
		});
		await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
		const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/v1/canceled`;
		for (const status of [301, 302, 303, 307, 308] as const) {
			service.sandbox.clearFaults();
			service.sandbox.addFault({ kind: 'redirect', location, status });
			for (const name of API_OPERATIONS) {
				const { error } = await service.run(OPERATIONS[name], { items: [{ queueId: 'q' }] });
				// n8n would list an execution as canceled whose message has this word.
				expect(error?.message).toBe("The video service's address redirects to another one");
				expect(error?.description).toContain(`It redirects to "${location}". To protect`);
			}
		}
		other.close();
		expect(received).toEqual([]);
	});
});

describe('A credential of no use', () => {
	test.each([
		[{ baseUrl: '' }, "'Base URL' is empty"],
		[{ baseUrl: 'not a url' }, "'Base URL' is not a web address"],
		[{ apiKey: '' }, "'API Key' is empty"],
		[
			{ apiKey: 'a b' },
			"'API Key' contains characters that are not allowed, such as spaces or line breaks",
		],
	])('%j is named before any request', async (part, message) => {
		for (const name of API_OPERATIONS) {
			const setup = service.setup(OPERATIONS[name]);
			const { error } = await runNode({
				...setup,
				items: [{ queueId: 'q' }],
				credentials: { ...setup.credentials, ...part },
			});
			expect(error?.message).toBe(message);
			expect(error?.description).toMatch(/Video Generation API credential|Copy it again/);
		}
		expect(service.sandbox.requests).toEqual([]);
	});
});

describe('A body without an end', () => {
	// The lists share one limit, and 256 MiB take seconds.
	const FLOODED = API_OPERATIONS.filter((name) => name !== 'project.getAll');
	test.each(FLOODED)(
		'is not read by %s, nor requested again, when it floods',
		async (operation) => {
			service.sandbox.addFault({ kind: 'endlessBody', operation });
			const before = process.memoryUsage.rss();
			const { error } = await runOnce(operation);
			expect(error?.message).toMatch(
				/^The response from the video service is too large: it has more than (1|256) MiB$/,
			);
			const expected = operation === 'queue.add' ? 'may have been queued' : 'it was not read';
			expect(error?.description).toContain(expected);
			expect(count(operation)).toBe(1);
			expect(process.memoryUsage.rss() - before).toBeLessThan(1024 ** 3);
		},
	);

	test.each(['queue.add', 'account.get'] as const)(
		'is given up in time by %s, when it drips',
		async (operation) => {
			service.sandbox.addFault({ ...DRIP, operation });
			// Long enough for the headers, also on a busy machine.
			const { error } = await runOnce(operation, { requestOptions: { timeout: 2_000 } });
			expect(error).toMatchObject({
				message: 'The video service did not answer in time',
				httpCode: 'ETIMEDOUT',
			});
			expect(count(operation)).toBe(1);
		},
	);

	test('fails a poll of the trigger and changes nothing', async () => {
		const trigger = await activateTrigger();
		const { state } = trigger;
		service.sandbox.addFault({ kind: 'endlessBody', operation: 'video.getAll' });
		const { error } = await trigger.poll();
		expect(error?.message).toContain('more than 256 MiB');
		expect(trigger.state).toBe(state);
	});
});

describe('Words of the service', () => {
	test.each([
		['a success', 200, 'project.getAll'],
		['a failure with status 200', 200, 'account.get'],
		['an error', 500, 'account.get'],
	] as const)(
		'that are %s of nothing but "<" do not hold n8n up',
		async (_what, status, operation) => {
			const send = async (kib: number) => {
				const body = { status: 'success', message: '<'.repeat(kib * 1024), projects: [] };
				if (operation === 'account.get') Object.assign(body, { status: 'failed' });
				service.sandbox.addFault({ kind: 'status', status, body, operation });
				const cpuMs = await measureCpuMs(async () => await runOnce(operation));
				service.sandbox.clearFaults();
				return cpuMs;
			};
			await send(1);
			// Searching for the end of each tag took 29 s.
			expect(await send(256)).toBeLessThan(2_000);
		},
	);

	test('are shown without markup, and not more than 300 characters of them', async () => {
		const message = `<img src=x onerror=alert(1)><script>alert(1)</script>${'a'.repeat(10_000)}`;
		service.sandbox.addFault({ kind: 'status', status: 400, message });
		const { error, run: execution } = await runOnce('account.get');
		expect(error?.message).not.toContain('<');
		expect(error?.message.length).toBeLessThan(400);
		expect(JSON.stringify(execution).length).toBeLessThan(20_000);
	});
});

describe('Keys that name prototypes', () => {
	const BODY = `{"status":"success","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},
		"usage":{"__proto__":{"polluted":1}},"details":{"status":"x","__proto__":{"polluted":1}},
		"queueId":"q","newQueueItem":{"queueId":"q","__proto__":{"polluted":1}},
		"videos":[{"id":"1","__proto__":{"polluted":1}}],"projects":[{"id":"1","__proto__":{"polluted":1}}]}`;

	test.each(API_OPERATIONS)('pollute nothing in %s', async (operation) => {
		service.sandbox.addFault({ kind: 'status', status: 200, body: BODY, operation });
		const { error } = await runOnce(operation);
		expect(error).toBeUndefined();
		expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
		expect(([] as { polluted?: unknown }).polluted).toBeUndefined();
	});
});

describe('The project picker and the credential test', () => {
	test('the picker ends with a readable reason when the list has no end', async () => {
		const { url, apiKey } = service.sandbox;
		const { context, nodeTypes } = await createLoadOptionsContext({ baseUrl: url, apiKey });
		const search = nodeTypes.getByNameAndVersion(NODE_TYPE).methods?.listSearch?.searchProjects;
		service.sandbox.addFault({ kind: 'endlessBody', operation: 'project.getAll' });
		await expect(search?.call(context)).rejects.toThrow('it has more than 256 MiB');
		expect(count('project.getAll')).toBe(1);
	});

	test('a credential test ends in time when the answer drips', async () => {
		const { url, apiKey } = service.sandbox;
		const timeout = AbortSignal.timeout.bind(AbortSignal);
		const asked: number[] = [];
		const spy = jest.spyOn(AbortSignal, 'timeout').mockImplementation((delayMs) => {
			asked.push(delayMs);
			return timeout(TIMEOUT_MS);
		});
		service.sandbox.addFault({ ...DRIP, operation: 'account.get' });
		const outcome = await testCredential({ baseUrl: url, apiKey });
		spy.mockRestore();
		expect(asked).toEqual([20_000]);
		expect(outcome).not.toBe('OK');
	});
});

describe.each(ECHOES)('A service that repeats the key %s', (_how, fault) => {
	beforeEach(() => service.sandbox.addFault(fault));

	const expectHidden = (error: unknown) => {
		const all = readAll(error);
		expect(all).toContain('[API key]');
		expect(all).not.toContain(ODD_KEY);
		expect(decodeURIComponent(all)).not.toContain(ODD_KEY);
	};

	test('does not bring it into an error of the node', async () => {
		const { error } = await runNode({
			parameters: OPERATIONS['account.get'],
			credentials: credentials(),
		});
		expectHidden(error);
	});

	test('does not bring it into an error of the trigger', async () => {
		const trigger = await ActiveTrigger.create({
			credentials: credentials(),
			storage: 'static data',
		});
		const { error } = await trigger.poll();
		expectHidden(error);
	});

	test('does not bring it into an error of the list of projects', async () => {
		const { context, nodeTypes } = await createLoadOptionsContext(credentials());
		const { methods } = nodeTypes.getByNameAndVersion(NODE_TYPE);
		const failed = methods?.listSearch?.searchProjects?.call(context);
		expectHidden(await failed?.catch((error: unknown) => error));
	});
});

describe('A service that repeats the key that the credential no longer has', () => {
	afterEach(() => jest.restoreAllMocks());

	test.each([
		['its words', { kind: 'status', status: 403, message: `Key ${ODD_KEY} is not allowed` }],
		['a redirect', { kind: 'redirect', location: LINK }],
	] as const)('does not bring it into an error, in %s', async (_what, fault) => {
		service.sandbox.addFault(fault);
		let reads = 0;
		interceptLookUps((found) => {
			reads += 1;
			return reads > 1 ? { ...found, apiKey: 'another' } : found;
		});
		const { error } = await runNode({
			parameters: OPERATIONS['account.get'],
			credentials: credentials(),
		});
		expect(error?.message).toMatch(/does not allow this for the API key|redirects to another one$/);
		expect(readAll(error)).toContain('[API key]');
		expect(readAll(error)).not.toContain('key+of');
		expect(readAll(error)).not.toContain('key%2Bof');
	});
});

test("A service that repeats the key as a video's status does not bring it into the list of paid videos", async () => {
	const { apiKey } = service.sandbox;
	service.sandbox.addFault({ kind: 'statusWord', word: apiKey, operation: 'queue.add' });
	service.sandbox.addFault({ kind: 'status', status: 400, operation: 'queue.add', nth: 2 });
	const { error } = await service.run(OPERATIONS['queue.add'], { items: [{}, {}] });
	expect(error?.description).toMatch(/Already queued.* \(\[API key\]\)/);
	expect(error?.description).not.toContain(apiKey);
});
