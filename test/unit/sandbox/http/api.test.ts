import type { AxiosInstance } from 'axios';
import type { Sandbox } from '../../../../sandbox/Sandbox';
import { startSandbox } from '../../../../sandbox/startSandbox';
import { createSandboxClient } from '../../../support/sandbox/createSandboxClient';

interface Added {
	newQueueItem: { queueId: string; createdAt: string };
}
interface Projects {
	projects: { id: string }[];
}

let sandbox: Sandbox;
let client: AxiosInstance;

beforeAll(async () => {
	sandbox = await startSandbox({ credits: 10 });
	client = createSandboxClient(sandbox);
});
beforeEach(() => {
	sandbox.reset();
});
afterAll(() => sandbox.close());

async function add(body: object = { projectId: sandbox.projects.teaser.id }): Promise<string> {
	const reply = await client.post<Added>('/v1/queue/add', body);
	expect(reply.status).toBe(200);
	return reply.data.newQueueItem.queueId;
}
async function readCredits(): Promise<number> {
	const reply = await client.get<{ usage: { remainingCredits: number } }>('/v1/user/account');
	return reply.data.usage.remainingCredits;
}

describe('the API key', () => {
	it.each([
		[undefined, 'Missing API key'],
		['', 'Missing API key'],
		['Bearer', 'Missing API key'],
		['Bearer wrong', 'Invalid API key'],
		['Basic sandbox-key-of-ada-5f0c1d', 'Missing API key'],
		['bearer sandbox-key-of-ada-5f0c1d', 'Missing API key'],
		['Bearer sandbox-key-of-ada-5f0c1d,', 'Invalid API key'],
	])('is needed: "%s" gets 401', async (authorization, message) => {
		const reply = await client.get('/v1/videos', { headers: { Authorization: authorization } });
		expect(reply.status).toBe(401);
		expect(reply.data).toEqual({ status: 'error', message });
	});
	it('is looked at before the body is', async () => {
		const headers = { Authorization: 'Bearer wrong', 'Content-Type': 'application/json' };
		expect((await client.post('/v1/queue/add', '{', { headers })).status).toBe(401);
	});
	it('opens the things of its own account only', async () => {
		const queueId = await add();
		const other = createSandboxClient(sandbox, sandbox.accounts.other.apiKey);
		const { data } = await other.get<Projects>('/v1/projects');
		expect(data.projects.map(({ id }) => id)).toEqual([sandbox.projects.foreign.id]);
		expect((await other.get(`/v1/queue/progress/${queueId}`)).status).toBe(404);
		expect((await other.post('/v1/queue/clear', { queueId })).status).toBe(404);
		const mine = { projectId: sandbox.projects.teaser.id };
		expect((await other.post('/v1/queue/add', mine)).status).toBe(400);
		expect((await client.get(`/v1/queue/progress/${queueId}`)).status).toBe(200);
	});
});

describe('POST /v1/queue/add', () => {
	it('answers with a new item, at the time of the clock', async () => {
		sandbox.clock.advance(1234);
		const { data } = await client.post<Added>('/v1/queue/add', {
			projectId: sandbox.projects.tour.id,
		});
		expect(data.newQueueItem).toMatchObject({
			projectId: sandbox.projects.tour.id,
			status: 'pending',
			generationProgress: 0,
			renderProgress: 0,
			videoUrl: null,
			createdAt: '2026-01-15T12:00:01.234Z',
		});
	});
	it("spends the project's cost until the credits run out", async () => {
		const projectId = sandbox.projects.costly.id;
		for (const left of [7, 4, 1]) {
			await add({ projectId });
			expect(await readCredits()).toBe(left);
		}
		const reply = await client.post<{ message: string }>('/v1/queue/add', { projectId });
		expect(reply.status).toBe(402);
		expect(reply.data.message).toBe('Insufficient credits: this video costs 3, the account has 1');
		await add();
		expect(await readCredits()).toBe(0);
	});
	it.each([
		[{}, 'projectId is required'],
		[{ projectId: 7 }, 'projectId must be string'],
		[{ projectId: 'nothing' }, 'projectId: no project of this account has this id'],
		[
			{ projectId: 'project-city-tour', overwriteSettings: true },
			'customPrompt is required when overwriteSettings is true',
		],
	])('refuses %j and says why', async (body, message) => {
		const reply = await client.post('/v1/queue/add', body);
		expect(reply.status).toBe(400);
		expect(reply.data).toEqual({ status: 'error', message });
		expect(await readCredits()).toBe(10);
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
		// As bytes: axios would make JSON of a text.
		const bytes = Buffer.from(body);
		const reply = await client.post('/v1/queue/add', bytes, { headers: { 'Content-Type': type } });
		expect(reply.status).toBe(400);
		expect(reply.data).toEqual({ status: 'error', message });
	});
	it('takes a prompt of any length', async () => {
		const customPrompt = 'ü'.repeat(2_000_000);
		await add({ projectId: sandbox.projects.teaser.id, overwriteSettings: true, customPrompt });
	});
});

describe('GET /v1/queue/progress/{queueId}', () => {
	it('follows the clock to the end, and is free of charge', async () => {
		const queueId = await add();
		const words: unknown[] = [];
		for (const ms of [0, 1000, 2000, 3500, 1500, 1_000_000]) {
			sandbox.clock.advance(ms);
			words.push(
				(await client.get<{ details: unknown }>(`/v1/queue/progress/${queueId}`)).data.details,
			);
		}
		expect(words).toEqual([
			{ status: 'pending', generationProgress: 0, renderProgress: 0 },
			{ status: 'processing', generationProgress: 0, renderProgress: 0 },
			{ status: 'processing', generationProgress: 50, renderProgress: 0 },
			{ status: 'rendering', generationProgress: 100, renderProgress: 50 },
			{ status: 'completed', generationProgress: 100, renderProgress: 100 },
			{ status: 'completed', generationProgress: 100, renderProgress: 100 },
		]);
		expect(await readCredits()).toBe(9);
	});
	it('shows how a generation of the failing project fails', async () => {
		const queueId = await add({ projectId: sandbox.projects.failing.id });
		sandbox.clock.advance(60_000);
		expect((await client.get(`/v1/queue/progress/${queueId}`)).data).toMatchObject({
			details: { status: 'failed', generationProgress: 60, renderProgress: 0 },
		});
		expect((await client.get('/v1/videos')).data).toMatchObject({ videos: [] });
	});
	it('knows a malformed id from an unknown one', async () => {
		const statuses: number[] = [];
		for (const id of ['x', '', '00000000-0000-4000-8000-000000000000']) {
			statuses.push((await client.get(`/v1/queue/progress/${id}`)).status);
		}
		expect(statuses).toEqual([400, 400, 404]);
	});
	it.each(['../clear', 'a/b?c#d', '%2e%2e', 'a\nb', '視'.repeat(10_000)])(
		'takes %j as one path segment, when it is encoded',
		async (queueId) => {
			const path = `/v1/queue/progress/${encodeURIComponent(queueId)}`;
			expect((await client.get(path)).status).toBe(400);
			expect(sandbox.requests).toMatchObject([{ url: path, operation: 'queue.getProgress' }]);
		},
	);
});

describe('GET /v1/projects', () => {
	const ids = async (query: string) =>
		(await client.get<Projects>(`/v1/projects${query}`)).data.projects.map(({ id }) =>
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
			expect((await client.get(`/v1/projects${query}`)).status).toBe(400);
		},
	);
});

describe('GET /v1/videos', () => {
	it('says in words that there are none', async () => {
		expect((await client.get('/v1/videos')).data).toEqual({
			...{ status: 'success', message: 'No videos were found' },
			videos: [],
		});
	});
	it('gives the address at which this client knows the sandbox', async () => {
		const [video] = sandbox.addVideos('main', [{}]);
		const reply = await client.get('/v1/videos', { headers: { Host: 'videos.internal:81' } });
		expect(reply.data).toMatchObject({
			videos: [{ url: `http://videos.internal:81/files/${String(video?.id)}.mp4` }],
		});
	});
	it('lists 20,000 of them at once', async () => {
		sandbox.addVideos(
			'main',
			Array.from({ length: 20_000 }, () => ({})),
		);
		const { data } = await client.get<{ videos: { id: string }[] }>('/v1/videos');
		expect(new Set(data.videos.map(({ id }) => id)).size).toBe(20_000);
	});
});

it('GET /v1/user/account tells time and duration by the clock', async () => {
	const stop = sandbox.onRequest(() => {
		sandbox.clock.advance(12);
	});
	const { data, headers } = await client.get<unknown>('/v1/user/account');
	stop();
	expect(data).toMatchObject({
		...{ statusCode: 200, name: 'Ada Example', email: 'ada@example.com' },
		...{ requestCompletionTime: '12ms', timestamp: '2026-01-15T12:00:00.012Z' },
	});
	expect(headers.date).toBe('Thu, 15 Jan 2026 12:00:00 GMT');
});
