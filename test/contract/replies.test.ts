import { randomUUID } from 'node:crypto';
import type { AxiosInstance } from 'axios';
import type { Sandbox } from '../../sandbox/Sandbox';
import { startSandbox } from '../../sandbox/startSandbox';
import { createReplyChecker } from '../support/sandbox/createReplyChecker';
import { createSandboxClient } from '../support/sandbox/createSandboxClient';
import { loadOpenApi } from '../support/sandbox/loadOpenApi';

const ENDPOINTS = [
	['POST', '/v1/queue/add'],
	['GET', `/v1/queue/progress/${randomUUID()}`],
	['POST', '/v1/queue/clear'],
	['GET', '/v1/videos'],
	['GET', '/v1/projects'],
	['GET', '/v1/user/account'],
] as const;

let sandbox: Sandbox;
const seen = new Set<string>();
const createClient = (apiKey?: string): AxiosInstance =>
	createSandboxClient(sandbox, apiKey, (name) => seen.add(name));

beforeAll(async () => {
	sandbox = await startSandbox();
});
beforeEach(() => {
	sandbox.reset();
});
afterAll(() => sandbox.close());

/** Sends `requests` one after the other and returns their statuses; the client checks the replies. */
async function send(
	client: AxiosInstance,
	...requests: { method: string; url: string; data?: unknown }[]
): Promise<number[]> {
	const statuses: number[] = [];
	for (const request of requests) statuses.push((await client.request(request)).status);
	return statuses;
}

describe('every reply of the sandbox is as docs/openapi.yaml describes it:', () => {
	it('a video from the order to the log', async () => {
		const client = createClient();
		const add = { method: 'POST', url: '/v1/queue/add' };
		const added = await client.request<{ newQueueItem: { queueId: string } }>({
			...add,
			data: { projectId: sandbox.projects.teaser.id },
		});
		const { queueId } = added.data.newQueueItem;
		const progress = { method: 'GET', url: `/v1/queue/progress/${queueId}` };
		for (let second = 0; second < 10; second++) {
			expect(await send(client, progress)).toEqual([200]);
			sandbox.clock.advance(1000);
		}
		const clear = { method: 'POST', url: '/v1/queue/clear', data: { queueId } };
		const list = { method: 'GET', url: '/v1/videos' };
		expect(await send(client, list, clear, progress, clear)).toEqual([200, 200, 404, 404]);
	});

	it('accounts with and without projects, videos and credits', async () => {
		for (const { apiKey } of Object.values(sandbox.accounts)) {
			const statuses = await send(
				createClient(apiKey),
				{ method: 'GET', url: '/v1/videos' },
				{ method: 'GET', url: '/v1/projects?sort=createdAt&order=asc' },
				{ method: 'GET', url: '/v1/user/account' },
			);
			expect(statuses).toEqual([200, 200, 200]);
		}
	});

	it('requests that are wrong', async () => {
		const statuses = await send(
			createClient(),
			{ method: 'POST', url: '/v1/queue/add', data: {} },
			{ method: 'POST', url: '/v1/queue/clear', data: {} },
			{ method: 'POST', url: '/v1/queue/clear', data: { queueId: 'not-an-id' } },
			{ method: 'GET', url: '/v1/queue/progress/not-an-id' },
			{ method: 'GET', url: '/v1/projects?sort=name' },
			{ method: 'GET', url: '/v1/projects?order=up' },
		);
		expect(statuses).toEqual([400, 400, 400, 400, 400, 400]);
	});

	it('no credits left', async () => {
		sandbox.setCredits('main', 0);
		const data = { projectId: sandbox.projects.teaser.id };
		const add = { method: 'POST', url: '/v1/queue/add', data };
		expect(await send(createClient(), add)).toEqual([402]);
	});

	it.each(ENDPOINTS)('a wrong key at %s %s', async (method, url) => {
		expect(await send(createClient('wrong'), { method, url })).toEqual([401]);
	});

	it.each(ENDPOINTS)('a server error at %s %s', async (method, url) => {
		sandbox.addFault({ kind: 'status', status: 500 });
		expect(await send(createClient(), { method, url })).toEqual([500]);
	});

	it.each(ENDPOINTS.slice(3))('too many requests at %s %s', async (method, url) => {
		sandbox.configure({ rateLimit: { max: 1, windowMs: 1000 } });
		expect(await send(createClient(), { method, url }, { method, url })).toEqual([200, 429]);
	});

	it.each(ENDPOINTS.slice(3, 5))('an unchanged list at %s %s', async (method, url) => {
		const headers = { 'If-None-Match': '*' };
		expect((await createClient().request({ method, url, headers })).status).toBe(304);
	});

	it('and no described reply was left out above', async () => {
		const described = (await loadOpenApi()).flatMap(({ method, path, responses }) =>
			Object.keys(responses).map((status) => `${method} ${path} ${status}`),
		);
		expect([...seen].sort()).toEqual(described.sort());
	});
});

const check = createReplyChecker();

it.each([
	['an undescribed status', { status: 418 }],
	['an undescribed path', { url: '/v1/videos/1' }],
	['another content type', { contentType: 'text/html' }],
	['an extra field', { body: { status: 'success', message: '', videos: [], count: 0 } }],
	['a missing field', { body: { status: 'success', message: '' } }],
	['a body where there is none', { status: 304 }],
])('the checker of replies refuses %s', async (_what, change) => {
	const body = { status: 'success', message: 'Nothing', videos: [] };
	const json = { method: 'GET', url: '/v1/videos', contentType: 'application/json' };
	const reply = { ...json, status: 200, body };
	expect(await check(reply)).toBe('GET /v1/videos 200');
	await expect(check({ ...reply, ...change })).rejects.toThrow();
});

it('the examples in docs/openapi.yaml have the fields of their schemas and no other', async () => {
	const checks = (await loadOpenApi()).flatMap(({ method, path, responses }) =>
		Object.entries(responses).flatMap(([status, { content }]) => {
			const { example = '', examples = { only: { value: example } } } =
				content?.['application/json'] ?? {};
			return Object.values(examples).map(({ value: body }) =>
				check({ method, url: path, status: Number(status), contentType: 'application/json', body }),
			);
		}),
	);
	expect((await Promise.all(checks)).length).toBeGreaterThan(25);
});

it('the sandbox has exactly the endpoints that docs/openapi.yaml describes', async () => {
	const served = sandbox.routes
		.filter(({ path }) => !path.startsWith('/_sandbox/') && !path.startsWith('/files/'))
		.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
	const described = (await loadOpenApi()).map(({ method, path }) => `${method} ${path}`);
	expect(served.sort()).toEqual(described.sort());
});
