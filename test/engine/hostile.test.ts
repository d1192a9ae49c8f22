import type { IDataObject } from 'n8n-workflow';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { ActiveTrigger } from '../support/engine/ActiveTrigger';
import { createLoadOptionsContext } from '../support/engine/createLoadOptionsContext';
import { API_OPERATIONS, OPERATIONS } from '../support/engine/OPERATIONS';
import { NODE_TYPE } from '../support/engine/runNode';
import { testCredential } from '../support/engine/testCredential';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
const TIMEOUT_MS = 150;
const DRIP: FaultSpec = { kind: 'endlessBody', pieceBytes: 1, delayMs: 20 };

const sent = (operation: string) =>
	service.sandbox.requests.filter((request) => request.operation === operation).length;

const run = async (name: (typeof API_OPERATIONS)[number], more: IDataObject = {}) =>
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

describe('A body without an end', () => {
	test.each(API_OPERATIONS)('is not taken in by %s, when it floods', async (operation) => {
		service.sandbox.addFault({ kind: 'endlessBody', operation });
		const before = process.memoryUsage.rss();
		const { error } = await run(operation);
		expect(error?.message).toMatch(
			/^The response from the video service is too large: it has more than (1|256) MiB$/,
		);
		expect(error?.description).toContain("To protect n8n's memory, it was not read");
		expect(sent(operation)).toBe(1);
		expect(process.memoryUsage.rss() - before).toBeLessThan(1024 ** 3);
	});

	test.each(API_OPERATIONS)('is given up in time by %s, when it drips', async (operation) => {
		service.sandbox.addFault({ ...DRIP, operation });
		const { error } = await run(operation, { requestOptions: { timeout: TIMEOUT_MS } });
		expect(error).toMatchObject({
			message: 'The video service did not answer in time',
			httpCode: 'ETIMEDOUT',
		});
		expect(sent(operation)).toBe(1);
	});

	test.each<[string, FaultSpec]>([
		['floods', { kind: 'endlessBody', phase: 'after' }],
		['drips', { ...DRIP, phase: 'after' }],
	])('never makes an add go out again, when it %s', async (_how, fault) => {
		service.sandbox.addFault({ ...fault, operation: 'queue.add' });
		const { error } = await run('queue.add', {
			options: { maxTries: 4 },
			requestOptions: { timeout: TIMEOUT_MS },
		});
		expect(error?.description).toContain('may have been queued');
		expect(sent('queue.add')).toBe(1);
	});

	test.each([429, 503, 403])('does not hide the status %d', async (status) => {
		service.sandbox.addFault({ kind: 'endlessBody', status });
		const { error } = await run('account.get');
		expect(error?.httpCode).toBe(String(status));
	});

	test('fails a poll of the trigger and changes nothing', async () => {
		const trigger = await activateTrigger();
		const { state } = trigger;
		service.sandbox.addFault({ kind: 'endlessBody', operation: 'video.getAll' });
		const { error } = await trigger.poll();
		expect(error?.message).toContain('more than 256 MiB');
		expect(trigger.state).toBe(state);
	});
});

/** The processor time of some work, which other processes do not lengthen. */
async function measureCpuMs(work: () => Promise<unknown>): Promise<number> {
	const before = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}

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
				const cpuMs = await measureCpuMs(async () => await run(operation));
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
		const { error, run: execution } = await run('account.get');
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
		const { error } = await run(operation);
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
		expect(sent('project.getAll')).toBe(1);
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
