import { getItemState } from '../../../sandbox/domain/lifeCycle';
import { DEFAULT_SETTINGS, type SettingsChange } from '../../../sandbox/domain/settings';
import { readVideoFile } from '../../../sandbox/files/readVideoFile';
import { like } from '../../support/like';
import { createClient, useSandboxClient } from '../../support/sandbox/useSandboxClient';

// The engine tests notice what the service answers, what most faults do, and to which requests.

const service = useSandboxClient();
const advance = (ms: number) => {
	service.sandbox.clock.advance(ms);
};

test.each([
	['completed', 999, 'pending', 0, 0, null],
	['completed', 1000, 'processing', 0, 0, null],
	['completed', 4999, 'processing', 99, 0, null],
	['completed', 5000, 'rendering', 100, 0, null],
	['completed', 7250, 'rendering', 100, 75, null],
	['completed', 8000, 'completed', 100, 100, 58_000],
	['failed', 3399, 'processing', 59, 0, null],
	['failed', 3400, 'failed', 60, 0, 53_400],
] as const)(
	'An item that ends as %s is after %i ms %s, with the progress %i and %i',
	(outcome, ageMs, status, generationProgress, renderProgress, endedAt) => {
		const { durations } = DEFAULT_SETTINGS;
		const item = { startsAt: 50_000, durations, outcome, finishedAt: null };
		const state = { status, generationProgress, renderProgress, endedAt };
		expect(getItemState(item, item.startsAt + ageMs)).toEqual(state);
	},
);

test.each([
	[7999, []],
	[8000, [{ createdAt: '2026-01-15T12:00:08.000Z' }]],
])('A queue item that is cleared after %i ms leaves in the log: %j', async (ageMs, entries) => {
	const queueId = await service.queue();
	advance(ageMs);
	await service.client.post('/v1/queue/clear', { queueId });
	advance(1000);
	expect(await service.getStatus(queueId)).toBe(404);
	expect(await service.listVideos()).toMatchObject(entries);
});

test('A queue item waits for its turn when the service makes one at a time', async () => {
	service.sandbox.configure({ maxAtOnce: 1 });
	const first = await service.queue();
	const second = await service.queue();
	advance(8000);
	expect(await service.getStatus(first)).toBe('completed');
	expect(await service.getStatus(second)).toBe('pending');
	advance(1000);
	expect(await service.getStatus(second)).toBe('processing');
});

test('The API key gives access to its own account only', async () => {
	const { accounts, projects } = service.sandbox;
	const queueId = await service.queue();
	const other = createClient(service.sandbox, accounts.other.apiKey);
	expect((await other.get(`/v1/queue/progress/${queueId}`)).status).toBe(404);
	expect((await other.post('/v1/queue/clear', { queueId })).status).toBe(404);
	const add = await other.post('/v1/queue/add', { projectId: projects.teaser.id });
	expect(add.status).toBe(400);
	expect(await service.getStatus(queueId)).toBe('pending');
});

describe('With reuseQueueIds, a queue ID', () => {
	test.each<
		[whose: string, endsAfterMs: number, settings: SettingsChange, outcome: 'completed' | 'failed']
	>([
		['of a listed video', 8000, {}, 'completed'],
		['of an item that has failed', 3400, {}, 'failed'],
		['of an item that has left', 8000, { endedItemsLeaveAfterMs: 0 }, 'completed'],
		['of a cleared item', 0, {}, 'completed'],
	])('%s comes again, also in another project', async (whose, endsAfterMs, settings, outcome) => {
		const { client, sandbox } = service;
		sandbox.configure({ ...settings, reuseQueueIds: 1000 });
		const queueId = await service.queue();
		sandbox.changeQueueItem(queueId, { durations: {}, outcome });
		if (whose === 'of a cleared item') await client.post('/v1/queue/clear', { queueId });
		advance(endsAfterMs + 999);
		expect(await service.queue()).not.toBe(queueId);
		advance(1);
		await client.post('/v1/queue/add', { projectId: sandbox.projects.tour.id });
		const { charges } = sandbox;
		expect(charges.map((charge) => charge.queueId === queueId)).toEqual([true, false, true]);
		expect(new Set(charges.map(({ videoId }) => videoId)).size).toBe(3);
		expect(await service.getStatus(queueId)).toBe('pending');
	});

	test('of an item whose video is not listed yet is its own', async () => {
		service.sandbox.configure({ reuseQueueIds: 0, durations: { logDelayMs: 5000 } });
		const queueId = await service.queue();
		advance(8000);
		expect(await service.queue()).not.toBe(queueId);
	});
});

test.each([
	['equal', true, 1, [1, 1]],
	['equal', false, 1, [1, 0]],
	['project', true, 2, [1, 1]],
	['equal', true, 2, [1, 1]],
] as const)(
	'With mergeOrders %s (charged: %s), a second order (prompt %i) is answered with the item that is still made, or not',
	async (mergeOrders, chargeMergedOrders, prompt, costs) => {
		const { client, sandbox } = service;
		sandbox.configure({ mergeOrders, chargeMergedOrders });
		const projectId = sandbox.projects.teaser.id;
		const add = async (customPrompt: string) => {
			const { data } = await client.post<{ newQueueItem: { queueId: string; status: string } }>(
				'/v1/queue/add',
				{ projectId, customPrompt },
			);
			return data.newQueueItem;
		};
		const first = await add('1');
		advance(1000);
		const second = await add(String(prompt));
		const isMerged = mergeOrders === 'project' || prompt === 1;
		expect(second.queueId === first.queueId).toBe(isMerged);
		expect(second.status).toBe(isMerged ? 'processing' : 'pending');
		expect(sandbox.charges.map(({ cost }) => cost)).toEqual(costs);
		advance(8000);
		expect(await service.listVideos()).toHaveLength(isMerged ? 1 : 2);
		// What is finished is made once more.
		expect((await add('1')).queueId).not.toBe(first.queueId);
	},
);

test('With numberByAccount, the items and videos of two accounts have the same IDs, and nobody sees those of the other', async () => {
	const { sandbox } = service;
	sandbox.configure({ numberByAccount: true });
	sandbox.addProjects('other', [{ id: sandbox.projects.teaser.id }]);
	const other = createClient(sandbox, sandbox.accounts.other.apiKey);
	const queueId = await service.queue();
	advance(1000);
	await other.post('/v1/queue/add', { projectId: sandbox.projects.teaser.id });
	const [one, two] = sandbox.charges;
	expect([two?.queueId, two?.videoId]).toEqual([one?.queueId, one?.videoId]);
	expect(await service.getStatus(queueId)).toBe('processing');
	expect((await other.get(`/v1/queue/progress/${queueId}`)).data).toMatchObject({
		details: { status: 'pending' },
	});
	advance(8000);
	const [video] = await service.listVideos();
	expect(video?.url).toContain(`/files/of-main/${one?.videoId}.mp4`);
	expect((await service.client.get(video?.url ?? '')).status).toBe(200);
	await other.post('/v1/queue/clear', { queueId });
	expect(await service.getStatus(queueId)).toBe('completed');
});

test('A rate limit is of an account and an endpoint, by the clock, and says when to come back', async () => {
	const { sandbox, client } = service;
	const get = async (list: string, sender = client) => (await sender.get(`/v1/${list}`)).status;
	sandbox.configure({ rateLimit: { max: 1, windowMs: 10_000 } });
	expect(await get('videos')).toBe(200);
	advance(4_000);
	const { status, headers } = await client.get('/v1/videos');
	expect([status, headers['retry-after']]).toEqual([429, '6']);
	expect(await get('projects')).toBe(200);
	expect(await get('videos', createClient(sandbox, sandbox.accounts.other.apiKey))).toBe(200);
	advance(5_999);
	expect(await get('videos')).toBe(429);
	advance(1);
	expect(await get('videos')).toBe(200);
});

test('The file of a finished video is padded to any size, and can still be played', async () => {
	const file = readVideoFile('product-teaser');
	const [video] = service.sandbox.addVideos('main', [{}]);
	const url = `/files/${String(video?.id)}.mp4?sizeBytes=300000`;
	const { data } = await service.client.get<Buffer>(url, { responseType: 'arraybuffer' });
	expect(data).toHaveLength(300_000);
	expect(data.subarray(0, file.length).equals(file)).toBe(true);
	// The rest is a box that players leave out.
	expect(data.readUInt32BE(file.length)).toBe(300_000 - file.length);
	expect(data.toString('latin1', file.length + 4, file.length + 8)).toBe('free');
});

test('Another process calls a control by its name, with its arguments as a list', async () => {
	const call = async (name: string, args: unknown[]) => {
		const { status, data } = await service.client.post<unknown>(`/_sandbox/${name}`, args);
		return [status, data];
	};
	const queueId = await service.queue();
	expect(await call('finish', [queueId])).toEqual([200, { result: null }]);
	expect(await service.getStatus(queueId)).toBe('completed');
	expect(await call('finish', ['unknown'])).toMatchObject([404, { status: 'error' }]);
	expect(await call('toString', [])).toMatchObject([404, { status: 'error' }]);
	expect(service.sandbox.requests.map(({ url }) => url)).not.toContain('/_sandbox/finish');
});

test.each([
	['without an Origin', '127.0.0.1', undefined, 200],
	['of its own Origin', '127.0.0.1', '127.0.0.1', 200],
	['of its own Origin by its other name', 'localhost', 'localhost', 200],
	['of a web page', '127.0.0.1', 'https://example.com', 403],
	["of a page of this machine, such as n8n's", '127.0.0.1', 'http://127.0.0.1:5678', 403],
	['of a page without an Origin of its own', '127.0.0.1', 'null', 403],
	['of a page whose host leads to loopback', 'example.com', 'example.com', 403],
	['for such a host, without an Origin', 'example.com', undefined, 403],
])('A control request %s (host %s, Origin %s) gets %i', async (_whose, name, from, status) => {
	const { client, sandbox } = service;
	const host = `${name}:${new URL(sandbox.url).port}`;
	const headers = { host, ...(from && { origin: from === name ? `http://${host}` : from }) };
	const response = await client.post('/_sandbox/setCredits', ['main', 7], { headers });
	const isTaken = status === 200;
	expect(response.status).toBe(status);
	const refusal = { status: 'error', message: like(/^Controls take .*(page|not for)/) };
	expect(response.data).toEqual(isTaken ? { result: null } : refusal);
	expect(sandbox.readState().accounts[0]?.credits).toBe(isTaken ? 7 : 100);
});

test('The sandbox listens on the loopback address alone', () => {
	// The address is that of its socket.
	expect(new URL(service.sandbox.url).hostname).toBe('127.0.0.1');
});

test('Faults add up in their order, and one of an unknown kind is refused', async () => {
	service.sandbox.addFault({ kind: 'extraFields', fields: { note: 'a' } });
	service.sandbox.addFault({ kind: 'missingField', field: 'videos' });
	service.sandbox.addFault({ kind: 'contentType', value: 'text/json' });
	const { headers, data } = await service.client.get<unknown>('/v1/videos');
	expect(headers['content-type']).toBe('text/json');
	expect(data).toEqual({ status: 'success', message: 'No videos were found', note: 'a' });
	const addFault = service.sandbox.addFault as (spec: object) => number;
	expect(() => addFault({ kind: 'toString' })).toThrow(/^A fault's kind is one of .*cutOff/);
});
