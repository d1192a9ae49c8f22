import { createSandboxClient } from '../../support/sandbox/createSandboxClient';
import { useSandboxClient } from '../../support/sandbox/useSandboxClient';

interface Projects {
	projects: { id: string }[];
}

const service = useSandboxClient({ credits: 10 }, createSandboxClient);

describe('The API key', () => {
	it.each([
		[undefined, 'Missing API key'],
		['', 'Missing API key'],
		['Bearer', 'Missing API key'],
		['Bearer wrong', 'Invalid API key'],
		['Basic sandbox-key-of-ada-5f0c1d', 'Missing API key'],
		['bearer sandbox-key-of-ada-5f0c1d', 'Missing API key'],
		['Bearer sandbox-key-of-ada-5f0c1d,', 'Invalid API key'],
	])('is needed: "%s" gets 401', async (authorization, message) => {
		const reply = await service.client.get('/v1/videos', {
			headers: { Authorization: authorization },
		});
		expect(reply.status).toBe(401);
		expect(reply.data).toEqual({ status: 'error', message });
	});
	it('is checked before the body', async () => {
		const headers = { Authorization: 'Bearer wrong', 'Content-Type': 'application/json' };
		expect((await service.client.post('/v1/queue/add', '{', { headers })).status).toBe(401);
	});
	it('gives access to its own account only', async () => {
		const queueId = await service.queue();
		const other = createSandboxClient(service.sandbox, service.sandbox.accounts.other.apiKey);
		const { data } = await other.get<Projects>('/v1/projects');
		expect(data.projects.map(({ id }) => id)).toEqual([service.sandbox.projects.foreign.id]);
		expect((await other.get(`/v1/queue/progress/${queueId}`)).status).toBe(404);
		expect((await other.post('/v1/queue/clear', { queueId })).status).toBe(404);
		const mine = { projectId: service.sandbox.projects.teaser.id };
		expect((await other.post('/v1/queue/add', mine)).status).toBe(400);
		expect((await service.client.get(`/v1/queue/progress/${queueId}`)).status).toBe(200);
	});
});

describe('POST /v1/queue/add', () => {
	it('answers with a new item, at the time of the clock', async () => {
		service.sandbox.clock.advance(1234);
		const { data } = await service.add({ projectId: service.sandbox.projects.tour.id });
		expect(data.newQueueItem).toMatchObject({
			projectId: service.sandbox.projects.tour.id,
			status: 'pending',
			generationProgress: 0,
			renderProgress: 0,
			videoUrl: null,
			createdAt: '2026-01-15T12:00:01.234Z',
		});
	});
	it("spends the project's cost until the credits run out", async () => {
		const projectId = service.sandbox.projects.costly.id;
		for (const left of [7, 4, 1]) {
			await service.queue(projectId);
			expect(service.getCredits()).toBe(left);
		}
		const reply = await service.add({ projectId });
		expect(reply.status).toBe(402);
		expect(reply.data).toMatchObject({
			message: 'Insufficient credits: this video costs 3, the account has 1',
		});
		await service.add();
		expect(service.getCredits()).toBe(0);
	});
	it.each([
		[{}, 'projectId is required'],
		[{ projectId: 7 }, 'projectId must be string'],
		[{ projectId: 'nothing' }, 'projectId: no project of this account has this id'],
		[{ projectId: 'project-garden-story' }, 'projectId: no project of this account has this id'],
		[{ projectId: '' }, 'projectId: no project of this account has this id'],
		[
			{ projectId: 'project-city-tour', overwriteSettings: true },
			'customPrompt is required when overwriteSettings is true',
		],
	])('refuses %j and says why', async (body, message) => {
		const reply = await service.add(body);
		expect(reply.status).toBe(400);
		expect(reply.data).toEqual({ status: 'error', message });
		expect(service.getCredits()).toBe(10);
	});
	it.each([
		[
			'text/plain',
			'{"projectId":"project-city-tour"}',
			'The body must be sent as application/json',
		],
		['application/json', '{"projectId":', 'The body is not valid JSON'],
		['application/json', '', 'The body must be object'],
	])('refuses a body of type %s that reads %s', async (type, body, message) => {
		// The body is sent as bytes: axios would convert a text to JSON.
		const bytes = Buffer.from(body);
		const reply = await service.client.post('/v1/queue/add', bytes, {
			headers: { 'Content-Type': type },
		});
		expect(reply.status).toBe(400);
		expect(reply.data).toEqual({ status: 'error', message });
	});
	it('takes a prompt of any length', async () => {
		const customPrompt = 'ü'.repeat(2_000_000);
		const body = { projectId: service.sandbox.projects.teaser.id, customPrompt };
		expect((await service.add(body)).status).toBe(200);
	});
});

describe('GET /v1/queue/progress/{queueId}', () => {
	it('follows the clock to the end, and is free of charge', async () => {
		const queueId = await service.queue();
		const words: unknown[] = [];
		for (const ms of [0, 1000, 2000, 3500, 1500, 1_000_000]) {
			service.sandbox.clock.advance(ms);
			words.push((await service.getProgress(queueId)).data.details);
		}
		expect(words).toEqual([
			{ status: 'pending', generationProgress: 0, renderProgress: 0 },
			{ status: 'processing', generationProgress: 0, renderProgress: 0 },
			{ status: 'processing', generationProgress: 50, renderProgress: 0 },
			{ status: 'rendering', generationProgress: 100, renderProgress: 50 },
			{ status: 'completed', generationProgress: 100, renderProgress: 100 },
			{ status: 'completed', generationProgress: 100, renderProgress: 100 },
		]);
		expect(service.getCredits()).toBe(9);
	});
	it('shows how a generation of the failing project fails', async () => {
		const queueId = await service.queue(service.sandbox.projects.failing.id);
		service.sandbox.clock.advance(60_000);
		expect((await service.getProgress(queueId)).data).toMatchObject({
			details: { status: 'failed', generationProgress: 60, renderProgress: 0 },
		});
	});
	it('tells a malformed id from an unknown one', async () => {
		for (const id of ['x', '', '7']) expect(await service.getStatus(id)).toBe(400);
		expect(await service.getStatus('00000000-0000-4000-8000-000000000000')).toBe(404);
	});
	it.each(['../clear', 'a/b?c#d', '%2e%2e', 'a\nb', '視'.repeat(10_000)])(
		'takes %j as one path segment, when it is encoded',
		async (queueId) => {
			const path = `/v1/queue/progress/${encodeURIComponent(queueId)}`;
			expect((await service.client.get(path)).status).toBe(400);
			expect(service.sandbox.requests).toMatchObject([
				{ url: path, operation: 'queue.getProgress' },
			]);
		},
	);
});

describe('GET /v1/projects', () => {
	const ids = async (query: string) =>
		(await service.client.get<Projects>(`/v1/projects${query}`)).data.projects.map(({ id }) =>
			id.replace('project-', ''),
		);
	it.each([
		['', ['launch-film', 'product-teaser', 'broken-storyboard', 'city-tour']],
		[
			'?sort=updatedAt&order=desc',
			['launch-film', 'product-teaser', 'broken-storyboard', 'city-tour'],
		],
		['?order=asc', ['city-tour', 'broken-storyboard', 'product-teaser', 'launch-film']],
		['?sort=createdAt', ['broken-storyboard', 'city-tour', 'product-teaser', 'launch-film']],
		[
			'?sort=createdAt&order=asc',
			['launch-film', 'product-teaser', 'city-tour', 'broken-storyboard'],
		],
	])('"%s" sorts', async (query, expected) => {
		expect(await ids(query)).toEqual(expected);
	});
	it.each(['?sort=name', '?sort=', '?order=DESC', '?sort=createdAt&sort=updatedAt'])(
		'refuses "%s"',
		async (query) => {
			expect((await service.client.get(`/v1/projects${query}`)).status).toBe(400);
		},
	);
});

describe('GET /v1/videos', () => {
	it('says in words that there are none', async () => {
		expect((await service.client.get('/v1/videos')).data).toEqual({
			...{ status: 'success', message: 'No videos were found' },
			videos: [],
		});
	});
	it('gives the address at which this client knows the sandbox', async () => {
		const [video] = service.sandbox.addVideos('main', [{}]);
		const reply = await service.client.get('/v1/videos', {
			headers: { Host: 'videos.internal:81' },
		});
		expect(reply.data).toMatchObject({
			videos: [{ url: `http://videos.internal:81/files/${String(video?.id)}.mp4` }],
		});
	});
	it('lists 20,000 of them at once', async () => {
		service.sandbox.addVideos(
			'main',
			Array.from({ length: 20_000 }, () => ({})),
		);
		expect(new Set((await service.listVideos()).map(({ id }) => id)).size).toBe(20_000);
	});
});

it('GET /v1/user/account tells time and duration by the clock', async () => {
	const stop = service.sandbox.onRequest(() => {
		service.sandbox.clock.advance(12);
	});
	const { data, headers } = await service.client.get<unknown>('/v1/user/account');
	stop();
	expect(data).toMatchObject({
		...{ statusCode: 200, name: 'Ada Example', email: 'ada@example.com' },
		...{ requestCompletionTime: '12ms', timestamp: '2026-01-15T12:00:00.012Z' },
	});
	expect(headers.date).toBe('Thu, 15 Jan 2026 12:00:00 GMT');
});

describe('A request to no endpoint', () => {
	const bare = useSandboxClient();

	it.each([
		['GET', '/'],
		['GET', '/user/account'],
		['POST', '/v1/videos/queue/add'],
		['GET', '/v1/queue/add'],
		['GET', '/v1/projects/'],
		['GET', '/v1/queue/progress/a/b'],
		['HEAD', '/v1/videos'],
	])('gets 404 in the words of the API, and is recorded: %s %s', async (method, url) => {
		const reply = await bare.client.request({ method, url });
		expect(reply.status).toBe(404);
		if (method !== 'HEAD') expect(reply.data).toMatchObject({ status: 'error' });
		expect(bare.sandbox.requests).toMatchObject([{ method, url, status: 404 }]);
		expect(bare.sandbox.requests[0]?.operation).toBeUndefined();
	});
	it('gets 400 when its path cannot be decoded', async () => {
		const reply = await bare.client.get('/v1/queue/progress/%zz');
		expect(reply.status).toBe(400);
		expect(reply.data).toMatchObject({ status: 'error' });
	});
});
