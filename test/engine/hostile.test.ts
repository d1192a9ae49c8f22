import type { IDataObject } from 'n8n-workflow';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { ActiveTrigger } from '../support/engine/ActiveTrigger';
import { createLoadOptionsContext } from '../support/engine/createLoadOptionsContext';
import { API_OPERATIONS, OPERATIONS, PROJECT } from '../support/engine/OPERATIONS';
import { NODE_TYPE, runNode } from '../support/engine/runNode';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { testCredential } from '../support/engine/testCredential';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
const TIMEOUT_MS = 150;
const DRIP: FaultSpec = { kind: 'endlessBody', pieceBytes: 1, delayMs: 20 };
/** Number of nested levels: 10 MB of JSON, almost all of it brackets. */
const LEVELS = 5_000_000;

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

describe('JSON of 10 MB that is nested', () => {
	const OTHERS = API_OPERATIONS.filter((operation) => operation !== 'queue.add');

	test.each(OTHERS)('is refused by %s before it is made', async (operation) => {
		const { items } = await service.run(OPERATIONS['queue.add']);
		service.sandbox.addVideos('main', [{}]);
		service.sandbox.addFault({ kind: 'nestedJson', levels: LEVELS, operation });
		const { error } = await service.run(
			{ ...OPERATIONS[operation], options: { maxTries: 1 } },
			{ items: [{ queueId: items[0]?.json.queueId }] },
		);
		expect(error?.message).toMatch(/too large: it has more than 1 MiB|too deeply: .*100 levels/);
		expect(error?.message).not.toContain('call stack');
	});

	test('is refused as well when it is small', async () => {
		service.sandbox.addFault({ kind: 'nestedJson', levels: 101 });
		expect((await run('account.get')).error?.message).toContain('nested too deeply');
	});

	test('passes through n8n up to the limit', async () => {
		service.sandbox.addFault({ kind: 'nestedJson', levels: 99 });
		const { error, items } = await run('account.get');
		expect(error).toBeUndefined();
		expect(JSON.stringify(items)).toContain('['.repeat(99));
	});
});

describe('One entry of a long list that is nested too deeply', () => {
	const DEEP = `{"id":"deep","projectId":"${PROJECT}","createdAt":"2030-01-01T00:00:00Z","of":${'['.repeat(200)}${']'.repeat(200)}}`;
	const send = (field: string, operation: (typeof API_OPERATIONS)[number]) => {
		const entries = '{"id":"entry","url":"https://api.example.com/files/1.mp4"},'.repeat(20_000);
		const body = `{"status":"success","${field}":[${entries}${DEEP}]}`;
		service.sandbox.addFault({ kind: 'status', status: 200, body, operation });
	};

	test.each([
		['video.getAll', 'videos'],
		['project.getAll', 'projects'],
	] as const)('is refused by %s', async (operation, field) => {
		send(field, operation);
		const { error } = await run(operation, { returnAll: true });
		expect(error?.message).toContain('nested too deeply: it has more than 100 levels');
	});

	test('is refused by a poll of the trigger, which changes nothing, and by its test event', async () => {
		const trigger = await activateTrigger();
		const { state } = trigger;
		send('videos', 'video.getAll');
		expect((await trigger.poll()).error?.message).toContain('nested too deeply');
		await expect(trigger.fetchTestEvent()).rejects.toThrow('nested too deeply');
		expect(trigger.state).toBe(state);
	});

	test("is nobody's video", async () => {
		send('videos', 'video.getAll');
		const setup = service.setup({ ...OPERATIONS['queue.add'], waitForCompletion: true });
		const { items } = await runWithoutWaiting(async () => await runNode(setup), service.sandbox);
		expect(items[0]?.json).toMatchObject({ status: 'completed', video: null, videoCandidates: [] });
	});
});

describe('Words of the service', () => {
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
