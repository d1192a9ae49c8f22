import { createClock } from '../../../sandbox/domain/clock';
import { createIdSource } from '../../../sandbox/domain/store';
import { startSandbox } from '../../../sandbox/startSandbox';
import { useSandboxClient } from '../../support/sandbox/useSandboxClient';

const service = useSandboxClient();

const { queue, getStatus, listVideos } = service;

it('the state shows everything', async () => {
	const queueId = await queue();
	service.sandbox.addFault({ kind: 'latency', delayMs: 0 });
	expect(service.sandbox.readState()).toMatchObject({
		clock: { kind: 'manual', now: '2026-01-15T12:00:00.000Z' },
		settings: { latencyMs: 0, rateLimit: { max: 100 }, endedItemsLeaveAfterMs: null },
		accounts: [
			{ id: 'main', credits: 99, videoCount: 0, apiKey: service.sandbox.apiKey },
			{ id: 'other', credits: 5, videoCount: 3 },
			{ id: 'empty', credits: 0, videoCount: 0 },
		],
		queue: [{ queueId, status: 'pending', accountId: 'main' }],
		charges: [{ queueId, cost: 1 }],
		faults: [{ id: 1, seen: 0, spec: { kind: 'latency' } }],
		requestCount: 1,
	});
});

it('another process calls a control by its name, with its arguments as a list', async () => {
	const call = async (name: string, args: unknown[]) => {
		const { status, data } = await service.client.post<unknown>(`/_sandbox/${name}`, args);
		return [status, data];
	};
	const queueId = await queue();
	expect(await call('addFault', [{ kind: 'status', status: 503 }])).toMatchObject([200, {}]);
	expect(await getStatus(queueId)).toBe(503);
	expect(await call('clearFaults', [])).toEqual([200, { result: null }]);
	expect(await call('advanceClock', [1000])).toEqual([200, { result: null }]);
	expect(await getStatus(queueId)).toBe('processing');
	expect(await call('finish', ['unknown'])).toMatchObject([404, { status: 'error' }]);
	expect(await call('toString', [])).toMatchObject([404, { status: 'error' }]);
	expect(service.sandbox.requests.map(({ url }) => url)).not.toContain('/_sandbox/addFault');
});

describe('a queue item', () => {
	it('can be finished', async () => {
		const queueId = await queue();
		service.sandbox.finish(queueId);
		expect(await getStatus(queueId)).toBe('completed');
		expect(await listVideos()).toMatchObject([{ createdAt: '2026-01-15T12:00:00.000Z' }]);
	});
	it('can be failed, and not finished afterwards', async () => {
		const queueId = await queue();
		service.sandbox.fail(queueId);
		expect(await getStatus(queueId)).toBe('failed');
		expect(await listVideos()).toEqual([]);
		expect(() => {
			service.sandbox.finish(queueId);
		}).toThrow(expect.objectContaining({ code: 'conflict' }) as Error);
	});
	it('can be taken out of the queue', async () => {
		const queueId = await queue();
		service.sandbox.removeQueueItem(queueId);
		expect(await getStatus(queueId)).toBe(404);
	});
	it('can be queued by another client, at the price of any other', () => {
		const { sandbox } = service;
		const queueId = sandbox.queueVideo(sandbox.projects.teaser.id);
		expect(sandbox.charges).toMatchObject([{ queueId, accountId: 'main', cost: 1 }]);
		expect(sandbox.requests).toEqual([]);
		expect(() => sandbox.queueVideo('none')).toThrow('There is no project none');
	});
	it('can be slower or faster than its neighbours', async () => {
		const [first, second] = [await queue(), await queue()];
		service.sandbox.changeQueueItem(first, { durations: { renderingMs: 60_000 } });
		service.sandbox.clock.advance(8000);
		expect([await getStatus(first), await getStatus(second)]).toEqual([
			...['rendering', 'completed'],
		]);
	});
});

describe('an account', () => {
	it('can be given other credits', () => {
		service.sandbox.setCredits('main', 2);
		expect(service.sandbox.readState().accounts[0]).toMatchObject({ id: 'main', credits: 2 });
	});
	it('can be named by its key', () => {
		service.sandbox.setCredits(service.sandbox.accounts.other.apiKey, 9);
		expect(service.sandbox.readState().accounts[1]).toMatchObject({ id: 'other', credits: 9 });
	});
	it('can be given videos, unchecked, and lose them', async () => {
		const odd = { id: 'odd', url: 'http://x.test/?a=b', projectId: 'gone', createdAt: 'soon' };
		service.sandbox.addVideos('main', [{}, odd, {}]);
		const videos = await listVideos();
		expect(videos).toHaveLength(3);
		expect(videos[0]).toMatchObject({ createdAt: '2026-01-15T12:00:00.000Z' });
		expect(videos[1]).toEqual(odd);

		service.sandbox.removeVideos('main', ['odd']);
		expect((await listVideos()).map(({ id }) => id)).toEqual([videos[0]?.id, videos[2]?.id]);
		service.sandbox.removeVideos('main');
		expect(await listVideos()).toEqual([]);
	});
	it('can be given projects to use', async () => {
		const projects = [{ name: 'New one', cost: 7 }, { id: 'mine' }];
		service.sandbox.addProjects('main', projects);
		const listed = await service.client.get<{ projects: unknown[] }>('/v1/projects?sort=createdAt');
		expect(listed.data.projects).toHaveLength(6);
		expect(listed.data.projects).toContainEqual(expect.objectContaining({ name: 'New one' }));
		await queue('mine');
		expect(service.sandbox.readState().queue).toMatchObject([
			{ projectId: 'mine', accountId: 'main' },
		]);
	});
});

it('a project can be given another cost, other durations and another outcome', async () => {
	const { id } = service.sandbox.projects.teaser;
	const change = { cost: 5, fails: true, durations: { pendingMs: 0, processingMs: 1 } };
	service.sandbox.changeProject(id, change);
	const queueId = await queue();
	service.sandbox.clock.advance(1);
	expect(await getStatus(queueId)).toBe('failed');
	expect(service.sandbox.readState().accounts[0]).toMatchObject({ credits: 95 });
});

it('settings can be changed', async () => {
	const settings = {
		...{ latencyMs: 1, rateLimit: false as const, endedItemsLeaveAfterMs: 0 },
		durations: { pendingMs: 0, processingMs: 0, renderingMs: 0 },
	};
	service.sandbox.configure(settings);
	const queueId = await queue();
	expect(await getStatus(queueId)).toBe(404);
	expect(await listVideos()).toHaveLength(1);
});

describe('a setting:', () => {
	it('queue ids are numbers, and requests may send them as text', async () => {
		const numeric = await queue();
		expect(numeric).toMatch(/-/);
		service.sandbox.configure({ numericQueueIds: true });
		const ids = [await queue(), await queue()] as unknown[] as number[];
		for (const id of ids) expect(Number.isSafeInteger(id)).toBe(true);
		const [first = 0, second = 0] = ids;
		expect(await getStatus(String(first))).toBe('pending');
		service.sandbox.finish(String(first));
		expect(await getStatus(String(first))).toBe('completed');
		for (const queueId of [first, String(second)]) {
			const cleared = await service.client.post('/v1/queue/clear', { queueId });
			expect(cleared.data).toMatchObject({ status: 'success', queueId: Number(queueId) });
		}
		expect(await getStatus(numeric)).toBe('pending');
		expect(await getStatus('no-id')).toBe(400);
	});
	it('long queue ids are numbers with more digits than JavaScript has', async () => {
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
	it('a number is no queue id by default', async () => {
		expect((await service.client.post('/v1/queue/clear', { queueId: 7 })).status).toBe(400);
	});
	it('the address of the video in the details, even before the log has it', async () => {
		service.sandbox.configure({ videoUrlInDetails: true, durations: { logDelayMs: 5000 } });
		const queueId = await queue();
		expect((await service.getProgress(queueId)).data).not.toHaveProperty('details.videoUrl');
		service.sandbox.clock.advance(8000);
		const videoUrl = String((await service.getProgress(queueId)).data.details?.videoUrl);
		expect(await listVideos()).toEqual([]);
		expect((await service.client.get(videoUrl)).headers['content-type']).toBe('video/mp4');
		service.sandbox.clock.advance(5000);
		expect(await listVideos()).toMatchObject([{ url: videoUrl }]);
	});
});

it('a reset brings everything back, and the same ids again', async () => {
	const before = service.sandbox.readState();
	const queueId = await queue();
	service.sandbox.clock.advance(9000);
	service.sandbox.addFault({ kind: 'errorKey' });
	service.sandbox.configure({ latencyMs: 1 });
	service.sandbox.changeProject(service.sandbox.projects.tour.id, { name: 'Renamed' });
	expect(service.sandbox.readState()).not.toEqual(before);
	service.sandbox.reset();
	expect(service.sandbox.readState()).toEqual(before);
	expect(await queue()).toBe(queueId);
});

it('a reset returns to the options of the start', async () => {
	const sandbox = await startSandbox({
		...{ credits: 3, startsAt: 0, latencyMs: 1, rateLimit: false, seed: 7 },
		...{ durations: { pendingMs: 7 }, endedItemsLeaveAfterMs: 9, numericQueueIds: true },
	});
	const start = sandbox.readState();
	expect(start).toMatchObject({
		clock: { kind: 'manual', now: '1970-01-01T00:00:00.000Z' },
		settings: {
			...{ latencyMs: 1, rateLimit: false, endedItemsLeaveAfterMs: 9, numericQueueIds: true },
			durations: { pendingMs: 7, processingMs: 4000 },
		},
		accounts: [{ credits: 3 }, {}, {}],
	});
	sandbox.configure({ latencyMs: 0, endedItemsLeaveAfterMs: null, durations: { pendingMs: 8 } });
	sandbox.setCredits('main', 0);
	sandbox.clock.advance(1);
	sandbox.reset();
	expect(sandbox.readState()).toEqual(start);
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
	const before = Date.now();
	const headers = { 'X-Mine': 'yes' };
	await service.client.post('/v1/queue/add?a=%2F', { projectId: 'x' }, { headers });
	const text = { headers: { 'Content-Type': 'text/plain' } };
	await service.client.post('/v1/queue/add', 'projectId=1', text);
	expect(service.sandbox.requests).toMatchObject([
		{
			...{ method: 'POST', url: '/v1/queue/add?a=%2F', operation: 'queue.add', status: 400 },
			headers: { authorization: `Bearer ${service.sandbox.apiKey}`, 'x-mine': 'yes' },
			body: { projectId: 'x' },
			at: Date.parse('2026-01-15T12:00:00.005Z'),
		},
		{ body: 'projectId=1' },
	]);
	expect(service.sandbox.requests[0]?.realAt).toBeGreaterThanOrEqual(before);
	service.sandbox.clearRequests();
	expect(service.sandbox.requests).toEqual([]);
});

it('Listeners are told of a request before its processing, and of each reply as it is sent', async () => {
	const { sandbox, client } = service;
	const heard: unknown[] = [];
	const stops = [
		sandbox.onRequest(({ url }) => heard.push(url)),
		sandbox.onReply((_, outcome) =>
			heard.push(typeof outcome === 'object' && 'status' in outcome ? outcome.status : outcome),
		),
	];
	await client.get('/v1/videos');
	sandbox.addFault({ kind: 'status', status: 503, times: 1 });
	await client.get('/v1/projects');
	sandbox.addFault({ kind: 'reset', phase: 'after' });
	await client.get('/v1/user/account').catch(() => undefined);
	for (const stop of stops) stop();
	await client.get('/v1/videos').catch(() => undefined);
	expect(heard).toEqual([...['/v1/videos', 200, '/v1/projects', 503, '/v1/user/account', 'reset']]);
});

it('The record names the queue item that an add made or a clear removed', async () => {
	const queueId = await service.queue();
	await service.client.post('/v1/queue/clear', { queueId });
	await service.client.post('/v1/queue/clear', { queueId });
	const ids = service.sandbox.requests.map((request) => request.queueId);
	expect(ids).toEqual([queueId, queueId, undefined]);
});

it('waitForRequests waits for requests of an operation, and says what did not come in time', async () => {
	const waiting = service.sandbox.waitForRequests({ count: 2, operation: 'video.getAll' });
	for (const url of ['/v1/videos', '/v1/projects', '/v1/videos']) await service.client.get(url);
	expect((await waiting).map(({ url }) => url)).toEqual(['/v1/videos', '/v1/videos']);
	await expect(
		service.sandbox.waitForRequests({ count: 2, operation: 'project.getAll', timeoutMs: 1 }),
	).rejects.toThrow('1 of 2 requests (project.getAll) within 1 ms');
});

it('The record shows a client that left', async () => {
	service.sandbox.addFault({ kind: 'hang' });
	const leaving = new AbortController();
	const sent = service.client.get('/v1/videos', { signal: leaving.signal }).catch(() => 'left');
	await service.sandbox.waitForRequests({ count: 1 });
	leaving.abort();
	expect(await sent).toBe('left');
	const [request] = await service.sandbox.waitForRequests({ count: 1, closed: true });
	expect(request).toMatchObject({ closed: true, url: '/v1/videos' });
	expect(request).not.toHaveProperty('status');
});
