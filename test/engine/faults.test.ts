import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { API_OPERATIONS, OPERATIONS } from '../support/engine/OPERATIONS';
import { runNode } from '../support/engine/runNode';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
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
	...[400, 401, 402, 403, 404, 409, 410, 422, 500, 501, 503].map(
		(status): [string, FaultSpec, string] => [`${status}`, { kind: 'status', status }, `${status}`],
	),
	[
		'401 that repeats the key',
		{ kind: 'status', status: 401, message: `Invalid key ${KEY}` },
		'401',
	],
	['500 with a web page', { kind: 'html', status: 500 }, '500'],
	['429', { kind: 'tooManyRequests', retryAfter: 'none' }, '429'],
	['429 with seconds', { kind: 'tooManyRequests', retryAfter: 'seconds' }, '429'],
	['429 with a date', { kind: 'tooManyRequests', retryAfter: 'date' }, '429'],
	['reset', { kind: 'reset' }, 'ECONNRESET'],
	['hang', { kind: 'hang' }, 'ECONNABORTED'],
	['redirect', { kind: 'redirect', location: `http://127.0.0.1:1/?key=${KEY}` }, '302'],
	['redirect to a file', { kind: 'redirect', location: 'file:///etc/passwd', status: 307 }, '307'],
	['cut off', { kind: 'cutOff' }, '200'],
	['cut off, chunked', { kind: 'cutOff', ending: 'chunked' }, '200'],
	['broken off', { kind: 'cutOff', ending: 'break' }, 'ECONNRESET'],
	['broken off, chunked', { kind: 'cutOff', ending: 'breakChunked' }, 'ECONNRESET'],
	['html', { kind: 'html' }, '200'],
	['empty body', { kind: 'emptyBody' }, '200'],
	['error envelope', { kind: 'errorEnvelope' }, '200'],
	['not JSON', { kind: 'status', status: 200, body: 'OK' }, '200'],
	['a list', { kind: 'status', status: 200, body: '[]' }, '200'],
	['null', { kind: 'status', status: 200, body: 'null' }, '200'],
	['no content', { kind: 'status', status: 204 }, '204'],
];
const LISTS = ['video.getAll', 'project.getAll'];

describe.each(API_OPERATIONS)('%s', (name) => {
	const run = async (fault: FaultSpec) => {
		// Some faults change a valid response, so there is a queue item to find.
		const { items } = await service.run(OPERATIONS['queue.add']);
		const queueId = items[0]?.json.queueId as string;
		service.sandbox.addFault(fault);
		const parameters = {
			...OPERATIONS[name],
			// A service that hangs never responds in time; every other response may take its time.
			requestOptions: { timeout: fault.kind === 'hang' ? 200 : 10_000 },
			options: { maxTries: 2 },
		};
		return await runWithoutWaiting(() => service.run(parameters, { items: [{ queueId }] }));
	};

	test.each([
		...FAULTS,
		[
			'missing field',
			{ kind: 'missingField', field: PROMISED[name] },
			'200',
		] as (typeof FAULTS)[number],
	])('says what is wrong when the service answers with %s', async (what, fault, httpCode) => {
		if (what === 'a list' && LISTS.includes(name)) return;
		// The item was cleared, and the status of the next try says so, regardless of its body.
		if (what.startsWith('broken off') && name === 'queue.clear') return;
		// The queue ID is taken from the part that arrived.
		if (/^(broken off|cut off)/.test(what) && name === 'queue.add') return;
		const { error, run: execution } = await run({ ...fault, operation: name });
		expect(error?.message).toMatch(/^[A-Z"].{10,}/);
		expect(error?.description).toMatch(/(\.|The service said: "[^"]+")$/);
		expect(error?.message).not.toContain('by a fault of the sandbox');
		expect(`${error?.message} ${error?.description}`).not.toMatch(/undefined|\[object|\n| {2}/);
		expect(error?.httpCode).toBe(httpCode);
		expect(JSON.stringify(execution)).not.toContain(KEY);
	});
});

describe('An answer that drips', () => {
	test('is waited for', async () => {
		service.sandbox.addFault({ kind: 'slowBody', pieceBytes: 40, delayMs: 1 });
		for (const name of ['queue.add', 'project.getAll', 'account.get'] as const) {
			const { error, items } = await service.run(OPERATIONS[name]);
			expect(error).toBeUndefined();
			expect(items.length).toBeGreaterThan(0);
		}
	});
});

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

	test('with a wrong key is told by the service', async () => {
		const setup = service.setup(OPERATIONS['account.get']);
		const { error } = await runNode({
			...setup,
			credentials: { ...setup.credentials, apiKey: 'wrong-key' },
		});
		expect(error).toMatchObject({
			httpCode: '401',
			message: expect.stringContaining('did not accept the API key') as string,
		});
	});
});
