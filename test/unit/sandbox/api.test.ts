import { readVideoFile } from '../../../sandbox/files/readVideoFile';
import { createSandboxClient } from '../../support/sandbox/createSandboxClient';
import { useSandboxClient } from '../../support/sandbox/useSandboxClient';

interface Projects {
	projects: { id: string }[];
}

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

const service = useSandboxClient({ credits: 10 }, createSandboxClient);

describe('The API key', () => {
	it('is checked before the body', async () => {
		const headers = { Authorization: `Basic ${service.sandbox.apiKey}` };
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
		const refused = await other.post<unknown>('/v1/queue/add', mine);
		expect(refused.data).toEqual({
			...{ status: 'error', message: 'projectId: no project of this account has this id' },
		});
		expect((await service.client.get(`/v1/queue/progress/${queueId}`)).status).toBe(200);
	});
});

describe('POST /v1/queue/add', () => {
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
	it('takes a prompt of any length', async () => {
		const customPrompt = 'ü'.repeat(2_000_000);
		const body = { projectId: service.sandbox.projects.teaser.id, customPrompt };
		expect((await service.add(body)).status).toBe(200);
	});
});

it('GET /v1/videos gives the address at which this client knows the sandbox', async () => {
	const [video] = service.sandbox.addVideos('main', [{}]);
	const headers = { Host: 'videos.internal:81' };
	expect((await service.client.get('/v1/videos', { headers })).data).toMatchObject({
		videos: [{ url: `http://videos.internal:81/files/${String(video?.id)}.mp4` }],
	});
});

const bare = useSandboxClient();

it.each([
	['GET', '/'],
	['GET', '/v1/queue/add'],
	['HEAD', '/v1/videos'],
])('A request to no endpoint gets 404, and is recorded: %s %s', async (method, url) => {
	expect((await bare.client.request({ method, url })).status).toBe(404);
	expect(bare.sandbox.requests).toMatchObject([{ method, url, status: 404 }]);
	expect(bare.sandbox.requests[0]?.operation).toBeUndefined();
});

describe('A rate limit', () => {
	const URL = '/v1/videos';
	const send = async (count: number, url = URL, by = service.client) => {
		const statuses: number[] = [];
		for (let sent = 0; sent < count; sent++) statuses.push((await by.get(url)).status);
		return statuses;
	};
	beforeEach(() => {
		service.sandbox.configure({ rateLimit: { max: 2, windowMs: 10_000 } });
	});

	it('refuses requests by the clock until the window ends, and says when to come back', async () => {
		expect(await send(2)).toEqual([200, 200]);
		service.sandbox.clock.advance(4_000);
		const { status, headers } = await service.client.get(URL);
		expect([status, headers['retry-after']]).toEqual([429, '6']);
		service.sandbox.clock.advance(5_999);
		expect(await send(1)).toEqual([429]);
		service.sandbox.clock.advance(1);
		expect(await send(3)).toEqual([200, 200, 429]);
	});
	it('counts each endpoint and account on its own, and no request with a wrong key', async () => {
		const stranger = createSandboxClient(service.sandbox, 'wrong');
		expect(await send(3, URL, stranger)).toEqual([401, 401, 401]);
		const other = createSandboxClient(service.sandbox, service.sandbox.accounts.other.apiKey);
		for (const url of [URL, '/v1/projects', '/v1/user/account']) {
			expect(await send(3, url)).toEqual([200, 200, 429]);
			expect(await send(2, url, other)).toEqual([200, 200]);
		}
		expect(await send(3, `/v1/queue/progress/${UNKNOWN}`)).toEqual([404, 404, 404]);
	});
});

describe('The tag of a list', () => {
	const fetchList = async (tag?: string) =>
		await service.client.get<unknown>('/v1/videos', {
			headers: tag === undefined ? {} : { 'If-None-Match': tag },
		});
	const getTag = async () => String((await fetchList()).headers.etag);

	it('saves its body', async () => {
		const tag = await getTag();
		const { status, data, headers } = await fetchList(tag);
		expect({ status, data, headers }).toMatchObject({
			status: 304,
			data: '',
			headers: { etag: tag },
		});
		expect(headers).not.toHaveProperty('content-length');
	});
	it('is compared weakly with each tag of the request', async () => {
		const tag = await getTag();
		for (const same of [`W/${tag}`, `"other", ${tag}`, `"a,b",W/${tag} , "c"`, ' * ']) {
			expect((await fetchList(same)).status).toBe(304);
		}
		for (const other of ['', '"other"', tag.replaceAll('"', ''), '"*"']) {
			expect((await fetchList(other)).status).toBe(200);
		}
	});
});

describe('The file of a video', () => {
	const file = readVideoFile('product-teaser');
	const get = async (url: string) =>
		await bare.client.get<Buffer>(url, {
			headers: { Authorization: undefined },
			responseType: 'arraybuffer',
		});

	it('is there without a key as soon as the video is finished', async () => {
		await bare.queue();
		const url = `/files/${String(bare.sandbox.charges[0]?.videoId)}.mp4`;
		expect((await get(url)).status).toBe(404);
		bare.sandbox.clock.advance(8000);
		const { status, headers, data } = await get(url);
		expect(status).toBe(200);
		expect(headers).toMatchObject({
			...{ 'content-type': 'video/mp4', 'content-length': String(file.length) },
		});
		expect(data.equals(file)).toBe(true);
		expect(bare.sandbox.requests).toMatchObject([
			...[{}, { operation: 'video.file', status: 404 }, { operation: 'video.file', url }],
		]);
	});
	it('is padded to any size, and can still be played', async () => {
		const [video] = bare.sandbox.addVideos('main', [{}]);
		const url = `/files/${String(video?.id)}.mp4`;
		const padded = (await get(`${url}?sizeBytes=300000`)).data;
		expect(padded).toHaveLength(300_000);
		expect(padded.subarray(0, file.length).equals(file)).toBe(true);
		// The rest is a box that players leave out.
		expect(padded.readUInt32BE(file.length)).toBe(300_000 - file.length);
		expect(padded.toString('latin1', file.length + 4, file.length + 8)).toBe('free');
		for (const sizeBytes of ['1', '99999999999', 'x', String(file.length + 7)]) {
			expect((await get(`${url}?sizeBytes=${sizeBytes}`)).status).toBe(400);
		}
	});
	it.each(['unknown.mp4', 'product-teaser.mp4', '..%2freadVideoFile.ts', ''])(
		'is not there by the name "%s"',
		async (name) => {
			expect((await get(`/files/${name}`)).status).toBe(404);
		},
	);
});
