import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { API_OPERATIONS, OPERATIONS, PROMISED, toRequest } from '../support/engine/OPERATIONS';
import { ERROR_OUTPUT } from '../support/engine/runNode';
import { testCredential } from '../support/n8nServer/testCredential';
import { interceptLookUps } from '../support/n8nServer/TestCredentialsHelper';
import { useSandbox } from '../support/engine/useSandbox';
import { like } from '../support/like';

// Other responses of a service that means harm, with the key, redirects and bodies without an end: laws/hostile.test.ts.

const service = useSandbox();

const KEY = 'sandbox-key-of-ada-5f0c1d';

const FAULTS: [string, FaultSpec, string][] = [
	['404', { kind: 'status', status: 404 }, '404'],
	['401 with the key', { kind: 'status', status: 401, message: `Invalid key ${KEY}` }, '401'],
	['500 with a web page', { kind: 'html', status: 500 }, '500'],
	['reset', { kind: 'reset' }, 'ECONNRESET'],
	['hang', { kind: 'hang' }, 'ETIMEDOUT'],
	['redirect', { kind: 'redirect', location: `http://127.0.0.1:1/?key=${KEY}` }, '302'],
	['cut off', { kind: 'cutOff' }, '200'],
	['broken off', { kind: 'cutOff', ending: 'break' }, 'ECONNRESET'],
	['html', { kind: 'html' }, '200'],
	['empty body', { kind: 'emptyBody' }, '200'],
	['error envelope', { kind: 'errorEnvelope' }, '200'],
	['no content', { kind: 'status', status: 204 }, '204'],
];

afterEach(() => jest.restoreAllMocks());

/**
 * All operations share the checks of a response: one read and the add get every fault, the others a few. An add
 * whose response breaks off has an unknown fate ("paidOnce.test.ts").
 */
const CASES = API_OPERATIONS.flatMap((name) => {
	const missing = { kind: 'missingField', field: PROMISED[toRequest(name)] } as const;
	const isWhole = ['account.get', 'queue.add'].includes(name);
	return [
		...FAULTS.filter(([what]) => isWhole || /^(404|html)$/.test(what)),
		['missing field', missing, '200'] as (typeof FAULTS)[number],
	].map((each) => [name, ...each] as const);
}).filter(([name, what]) => name !== 'queue.add' || !/^(broken|cut) off/.test(what));

test.each(CASES)(
	'%s says what is wrong when the service answers with %s',
	async (name, _what, fault, httpCode) => {
		// Some faults change a valid response, so there is something to find.
		const items = await service.createInput(name);
		service.sandbox.addFault({ ...fault, operation: toRequest(name) });
		const parameters = {
			...OPERATIONS[name],
			// A service that hangs never responds in time; every other response may take its time.
			requestOptions: { timeout: fault.kind === 'hang' ? 200 : 10_000 },
			options: { maxTries: 2 },
		};
		const { error, run: execution } = await service.run(parameters, { items });
		expect(error?.message).toMatch(/^[A-Z"].{10,}/);
		expect(error?.description).toMatch(/\.$/);
		expect(error?.message).not.toContain('by a fault of the sandbox');
		expect(`${error?.message} ${error?.description}`).not.toMatch(/undefined|\[object|\n| {2}/);
		expect(error?.httpCode).toBe(httpCode);
		expect(JSON.stringify(execution)).not.toContain(KEY);
	},
);

test.each(['queue.add', 'account.get'] as const)(
	'A credential with an expression that fails, such as one with $env, fails each item of %s at once: no retry mends it',
	async (name) => {
		const lookUps = interceptLookUps(() => {
			throw new Error('access to env vars denied');
		});
		const startedAt = service.sandbox.clock.now();
		const items = Array.from({ length: 25 }, () => ({}));
		const { errorItems } = await service.run(OPERATIONS[name], { items, settings: ERROR_OUTPUT });
		expect(errorItems).toHaveLength(25);
		expect(service.sandbox.clock.now() - startedAt).toBeLessThan(1_000);
		expect(errorItems[0]?.json).toMatchObject({
			error: 'access to env vars denied',
			message: like(/Open the Video Generation API credential.*Nothing was sent/),
		});
		expect(lookUps).toHaveBeenCalledTimes(25);
	},
);

test('A body without an end that drips ends the credential test in time', async () => {
	const { url, apiKey } = service.sandbox;
	const timeout = AbortSignal.timeout.bind(AbortSignal);
	const spy = jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(150));
	const drip = { kind: 'endlessBody', pieceBytes: 1, delayMs: 20 } as const;
	service.sandbox.addFault({ ...drip, operation: 'account.get' });
	const outcome = await testCredential({ baseUrl: url, apiKey });
	expect(spy.mock.calls).toEqual([[20_000]]);
	expect(outcome).not.toBe('OK');
});

test('Keys that name prototypes pollute nothing', async () => {
	// Of two fields with one name, the last one counts.
	const promised = Object.values(PROMISED).map((field) => `"${field}":"q"`);
	const body = `{"status":"success",${promised.join()},"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},
		"usage":{"__proto__":{"polluted":1}},"details":{"status":"x","__proto__":{"polluted":1}},
		"newQueueItem":{"queueId":"q","__proto__":{"polluted":1}},
		"videos":[{"id":"q","__proto__":{"polluted":1}}],"projects":[{"id":"1","__proto__":{"polluted":1}}]}`;
	service.sandbox.addFault({ kind: 'status', status: 200, body });
	for (const operation of API_OPERATIONS) {
		const { error, items } = await service.run(OPERATIONS[operation]);
		// A body that is refused shows nothing.
		expect({ operation, error, count: items.length }).toMatchObject({ error: undefined, count: 1 });
		expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
		expect(([] as { polluted?: unknown }).polluted).toBeUndefined();
	}
});

describe('A response of more than 4 MB is not parsed,', () => {
	const tooLong = (operation: FaultSpec['operation'], bytes = 4_000_001) =>
		service.sandbox.addFault({ kind: 'longBody', bytes, operation, times: 1 });

	test('of an add, which may have been queued, with the ID that it names', async () => {
		tooLong('queue.add');
		const { errorItems } = await service.run(OPERATIONS['queue.add'], { settings: ERROR_OUTPUT });
		const [queueId = ''] = service.listPaidIds();
		const receivedText = expect.stringContaining(queueId) as string;
		const details = { mayBeQueued: true, receivedQueueId: queueId, receivedText };
		expect(errorItems).toMatchObject([{ json: { details } }]);
	});

	test.each([
		['project.getAll', 64_000_000],
		['video.getAll', 256_000_000],
	] as const)('but one of %s is read, up to %d bytes', async (operation, bytes) => {
		service.addVideo();
		tooLong(operation);
		const { items } = await service.run(OPERATIONS[operation]);
		expect(items.length).toBeGreaterThan(0);
		tooLong(operation, bytes + 1);
		const { error } = await service.run(OPERATIONS[operation]);
		expect(error?.message).toBe('The response from the video service is too long');
	});
});
