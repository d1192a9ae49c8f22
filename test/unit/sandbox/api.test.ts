import { readVideoFile } from '../../../sandbox/files/readVideoFile';
import { createClient, useSandboxClient } from '../../support/sandbox/useSandboxClient';

const service = useSandboxClient({ credits: 10 });

test('The API key gives access to its own account only', async () => {
	const { sandbox } = service;
	const queueId = await service.queue();
	const other = createClient(sandbox, sandbox.accounts.other.apiKey);
	const { data } = await other.get<{ projects: object[] }>('/v1/projects');
	const { id, name } = sandbox.projects.foreign;
	expect(data.projects).toMatchObject([{ id, name }]);
	expect((await other.get(`/v1/queue/progress/${queueId}`)).status).toBe(404);
	expect((await other.post('/v1/queue/clear', { queueId })).status).toBe(404);
	const mine = { projectId: sandbox.projects.teaser.id };
	expect((await other.post('/v1/queue/add', mine)).status).toBe(400);
	expect(await service.getStatus(queueId)).toBe('pending');
});

test("An add spends the project's cost until the credits run out", async () => {
	const { sandbox, client } = service;
	const { costly, teaser } = sandbox.projects;
	const add = async (projectId: string) => {
		const { status } = await client.post('/v1/queue/add', { projectId });
		return [status, sandbox.readState().accounts[0]?.credits];
	};
	for (const left of [7, 4, 1]) expect(await add(costly.id)).toEqual([200, left]);
	expect(await add(costly.id)).toEqual([402, 1]);
	expect(await add(teaser.id)).toEqual([200, 0]);
	const costs = sandbox.charges.map(({ cost, projectId }) => [cost, projectId]);
	expect(costs).toEqual([...Array<unknown>(3).fill([3, costly.id]), [1, teaser.id]]);
});

test('A rate limit is of an account and an endpoint, by the clock, and says when to come back', async () => {
	const { sandbox, client, getStatuses } = service;
	const [videos, projects] = ['/v1/videos', '/v1/projects'];
	sandbox.configure({ rateLimit: { max: 2, windowMs: 10_000 } });
	expect(await getStatuses(videos, videos)).toEqual([200, 200]);
	sandbox.clock.advance(4_000);
	const { status, headers } = await client.get(videos);
	expect([status, headers['retry-after']]).toEqual([429, '6']);
	expect(await getStatuses(projects, projects, projects)).toEqual([200, 200, 429]);
	for (const [apiKey, answer] of [
		['wrong', 401],
		[sandbox.accounts.other.apiKey, 200],
	] as const) {
		expect((await createClient(sandbox, apiKey).get(videos)).status).toBe(answer);
	}
	sandbox.clock.advance(5_999);
	expect(await getStatuses(videos)).toEqual([429]);
	sandbox.clock.advance(1);
	expect(await getStatuses(videos, videos, videos)).toEqual([200, 200, 429]);
});

test('The file of a finished video is padded to any size, and can still be played', async () => {
	const file = readVideoFile('product-teaser');
	const [video] = service.sandbox.addVideos('main', [{}]);
	const url = `/files/${String(video?.id)}.mp4`;
	const { data } = await service.client.get<Buffer>(`${url}?sizeBytes=300000`, {
		responseType: 'arraybuffer',
	});
	expect(data).toHaveLength(300_000);
	expect(data.subarray(0, file.length).equals(file)).toBe(true);
	// The rest is a box that players leave out.
	expect(data.readUInt32BE(file.length)).toBe(300_000 - file.length);
	expect(data.toString('latin1', file.length + 4, file.length + 8)).toBe('free');
	for (const sizeBytes of ['1', '99999999999', 'x', String(file.length + 7)]) {
		expect(await service.getStatuses(`${url}?sizeBytes=${sizeBytes}`)).toEqual([400]);
	}
});

test('Another process calls a control by its name, with its arguments as a list', async () => {
	const call = async (name: string, args: unknown[]) => {
		const { status, data } = await service.client.post<unknown>(`/_sandbox/${name}`, args);
		return [status, data];
	};
	const queueId = await service.queue();
	expect(await call('addFault', [{ kind: 'status', status: 503 }])).toMatchObject([200, {}]);
	expect(await service.getStatus(queueId)).toBe(503);
	expect(await call('clearFaults', [])).toEqual([200, { result: null }]);
	expect(await call('finish', [queueId])).toEqual([200, { result: null }]);
	expect(await service.getStatus(queueId)).toBe('completed');
	expect(await call('finish', ['unknown'])).toMatchObject([404, { status: 'error' }]);
	expect(await call('toString', [])).toMatchObject([404, { status: 'error' }]);
	expect(service.sandbox.requests.map(({ url }) => url)).not.toContain('/_sandbox/addFault');
});
