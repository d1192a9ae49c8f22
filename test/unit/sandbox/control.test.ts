import { waitFor } from '../../../scripts/waitFor';
import { createClock } from '../../../sandbox/domain/clock';
import { createIdSource } from '../../../sandbox/domain/store';
import { startSandbox } from '../../../sandbox/startSandbox';
import { useSandboxClient } from '../../support/sandbox/useSandboxClient';

const service = useSandboxClient();

const { queue, getStatus } = service;

it('another process calls a control by its name, with its arguments as a list', async () => {
	const call = async (name: string, args: unknown[]) => {
		const { status, data } = await service.client.post<unknown>(`/_sandbox/${name}`, args);
		return [status, data];
	};
	const queueId = await queue();
	expect(await call('addFault', [{ kind: 'status', status: 503 }])).toMatchObject([200, {}]);
	expect(await getStatus(queueId)).toBe(503);
	expect(await call('clearFaults', [])).toEqual([200, { result: null }]);
	expect(await call('finish', [queueId])).toEqual([200, { result: null }]);
	expect(await getStatus(queueId)).toBe('completed');
	expect(await call('finish', ['unknown'])).toMatchObject([404, { status: 'error' }]);
	expect(await call('toString', [])).toMatchObject([404, { status: 'error' }]);
	expect(service.sandbox.requests.map(({ url }) => url)).not.toContain('/_sandbox/addFault');
});

it('Long queue ids are numbers with more digits than JavaScript has', async () => {
	service.sandbox.configure({ numericQueueIds: 'long' });
	const body = { projectId: service.sandbox.projects.teaser.id };
	const options = { responseType: 'text' as const, transformResponse: [] };
	const { data } = await service.client.post<string>('/v1/queue/add', body, options);
	const queueId = service.sandbox.charges[0]?.queueId ?? '';
	expect(queueId).toMatch(/^\d{19}$/);
	expect(String(Number(queueId))).not.toBe(queueId);
	expect(data).toContain(`"queueId":${queueId},`);
	expect(await getStatus(queueId)).toBe('pending');
	await service.client.post('/v1/queue/clear', { queueId });
	expect(await getStatus(queueId)).toBe(404);
});

it('a reset brings back everything as it was at the start, and the same ids again', async () => {
	const sandbox = await startSandbox({
		...{ credits: 3, latencyMs: 1, rateLimit: false, seed: 7, durations: { pendingMs: 7 } },
		...{ endedItemsLeaveAfterMs: 9, numericQueueIds: true },
	});
	const start = sandbox.readState();
	expect(start).toMatchObject({
		settings: {
			...{ latencyMs: 1, rateLimit: false, endedItemsLeaveAfterMs: 9, numericQueueIds: true },
			durations: { pendingMs: 7, processingMs: 4000 },
		},
		accounts: [{ credits: 3 }, {}, {}],
	});
	const change = () => {
		sandbox.clock.advance(1);
		sandbox.setCredits('main', 5);
		sandbox.addFault({ kind: 'errorKey' });
		sandbox.changeProject(sandbox.projects.tour.id, { name: 'Renamed' });
		sandbox.configure({ latencyMs: 0, endedItemsLeaveAfterMs: null, durations: { pendingMs: 8 } });
		return sandbox.queueVideo(sandbox.projects.tour.id);
	};
	const queueId = change();
	sandbox.reset();
	expect(sandbox.readState()).toEqual(start);
	expect(change()).toBe(queueId);
	await sandbox.close();
});

describe('The clock', () => {
	it('moves forward only', () => {
		for (const ms of [-1, NaN, Infinity]) {
			expect(() => {
				createClock('manual').advance(ms);
			}).toThrow(RangeError);
		}
	});
	it("is this machine's if it is real, and what it was advanced by", () => {
		jest.useFakeTimers({ now: 1_000_000 });
		const clock = createClock('real');
		clock.advance(500);
		jest.setSystemTime(2_000_000);
		expect(clock.now()).toBe(2_000_500);
		jest.useRealTimers();
	});
});

it('Ids are UUIDs that never repeat, and the same for the same seed', () => {
	const take = (seed: number, count: number): string[] => {
		const createId = createIdSource(seed);
		return Array.from({ length: count }, () => createId());
	};
	const ids = take(1, 5000);
	expect(new Set(ids).size).toBe(5000);
	for (const id of ids) {
		expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
	}
	expect(take(1, 3)).toEqual(ids.slice(0, 3));
	expect(take(8, 3)).not.toEqual(take(7, 3));
});

it('Every request is recorded as it came', async () => {
	service.sandbox.clock.advance(5);
	const headers = { 'X-Mine': 'yes', 'Content-Type': 'text/plain' };
	await service.client.post('/v1/queue/add?a=%2F', 'projectId=1', { headers });
	expect(service.sandbox.requests).toMatchObject([
		{
			...{ method: 'POST', url: '/v1/queue/add?a=%2F', operation: 'queue.add', status: 400 },
			headers: { authorization: `Bearer ${service.sandbox.apiKey}`, 'x-mine': 'yes' },
			...{ body: 'projectId=1', at: Date.parse('2026-01-15T12:00:00.005Z') },
		},
	]);
});

it('The record shows a client that left', async () => {
	service.sandbox.addFault({ kind: 'hang' });
	const leaving = new AbortController();
	const sent = service.client.get('/v1/videos', { signal: leaving.signal }).catch(() => 'left');
	await service.sandbox.waitForRequests({ count: 1 });
	leaving.abort();
	expect(await sent).toBe('left');
	const [request] = service.sandbox.requests;
	await waitFor('the end of the connection', () => request?.closed === true);
	expect(request).not.toHaveProperty('status');
});
