import type { AxiosResponse } from 'axios';
import type { FaultSpec } from '../../../sandbox/faults/FaultSpec';
import { startSandbox } from '../../../sandbox/startSandbox';
import { createBareClient } from '../../support/sandbox/createBareClient';
import { useSandboxClient } from '../../support/sandbox/useSandboxClient';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const DOWN = { kind: 'status', status: 503 } as const;

/** The delays that the sandbox requested; the tests do not wait for them. */
const delays: number[] = [];

const service = useSandboxClient({
	wait: async (delayMs) => {
		delays.push(delayMs);
		return Promise.resolve();
	},
});
const { add, getCredits } = service;
beforeEach(() => {
	delays.length = 0;
});

async function request(count: number, url = '/v1/videos'): Promise<number[]> {
	const statuses: number[] = [];
	for (let sent = 0; sent < count; sent++) statuses.push((await service.client.get(url)).status);
	return statuses;
}

describe('A fault affects', () => {
	it('every request by default, even one with a wrong key', async () => {
		service.sandbox.addFault(DOWN);
		for (const url of ['/v1/videos', '/v1/projects', '/files/x.mp4', '/anything']) {
			expect(await request(1, url)).toEqual([503]);
		}
		const stranger = createBareClient(service.sandbox, 'wrong');
		expect((await stranger.get('/v1/videos')).status).toBe(503);
	});
	it('the operations that it names', async () => {
		service.sandbox.addFault({ ...DOWN, operation: ['video.getAll', 'account.get'] });
		expect(await request(1)).toEqual([503]);
		expect(await request(1, '/v1/user/account')).toEqual([503]);
		expect(await request(1, '/v1/projects')).toEqual([200]);
	});
	it('only the nth request', async () => {
		service.sandbox.addFault({ ...DOWN, operation: 'video.getAll', nth: 3 });
		await request(3, '/v1/projects');
		expect(await request(5)).toEqual([200, 200, 503, 200, 200]);
	});
	it('a number of requests, after a number of others', async () => {
		service.sandbox.addFault({ ...DOWN, skip: 1, times: 2 });
		expect(await request(5)).toEqual([200, 503, 503, 200, 200]);
	});
	it('requests that contain a text in their path or body', async () => {
		service.sandbox.addFault({ ...DOWN, containing: UNKNOWN });
		service.sandbox.addFault({ ...DOWN, containing: 'city-tour', nth: 2 });
		expect(await request(1, `/v1/queue/progress/${UNKNOWN}`)).toEqual([503]);
		expect(await request(1, '/v1/queue/progress/other')).toEqual([400]);
		const statuses: number[] = [];
		for (const name of ['city-tour', 'product-teaser', 'city-tour', 'city-tour']) {
			statuses.push((await add({ projectId: `project-${name}` })).status);
		}
		expect(statuses).toEqual([200, 200, 503, 200]);
	});
});

describe('Faults', () => {
	it('add up in their order', async () => {
		service.sandbox.addFault({ kind: 'extraFields', fields: { note: 'a' } });
		service.sandbox.addFault({ kind: 'missingField', field: 'videos' });
		service.sandbox.addFault({ kind: 'contentType', value: 'text/json' });
		const { headers, data } = await service.client.get<unknown>('/v1/videos');
		expect(headers['content-type']).toBe('text/json');
		expect(data).toEqual({ status: 'success', message: 'No videos were found', note: 'a' });
	});
	it('of an unknown kind are refused', () => {
		const addFault = service.sandbox.addFault as (spec: object) => number;
		expect(() => addFault({ kind: 'toString' })).toThrow(/^A fault's kind is one of .*cutOff/);
	});
});

/** The parts of a response to `GET /v1/videos` with one video. */
const fetchVideos = async (fault: FaultSpec): Promise<Partial<AxiosResponse>> => {
	service.sandbox.addVideos('main', [{ id: 'first' }]);
	service.sandbox.addFault(fault);
	return await service.client.get('/v1/videos');
};

it.each<[FaultSpec, object]>([
	[
		{ ...DOWN, body: '<no/>', contentType: 'text/xml', headers: { 'X-A': 'b' } },
		{ status: 503, data: '<no/>', headers: { 'content-type': 'text/xml', 'x-a': 'b' } },
	],
	[
		{ kind: 'tooManyRequests', retryAfter: 'date', seconds: 90 },
		{ headers: { 'retry-after': 'Thu, 15 Jan 2026 12:01:30 GMT' } },
	],
	[{ kind: 'extraFields', fields: { a: 1 } }, { data: { a: 1, videos: [{ a: 1 }] } }],
	[{ kind: 'errorKey' }, { data: { error: '', videos: [{ error: '' }] } }],
	[
		{ kind: 'missingField', field: 'videos.0.id' },
		{ data: { videos: [expect.not.objectContaining({ id: 'first' })] } },
	],
	[{ kind: 'envelopeStatus', word: 'ok' }, { data: { status: 'ok' } }],
	[{ kind: 'oddEntries', entries: [7, []] }, { data: { videos: [7, { id: 'first' }, []] } }],
])('%j changes the reply as its name says', async (fault, expected) => {
	expect(await fetchVideos(fault)).toMatchObject(expected);
});

it('statusWord replaces one word or each, and can add the address of the video', async () => {
	const queueId = await service.queue();
	const videoUrl = 'http://127.0.0.1/x.mp4';
	const insteadOf = 'completed';
	service.sandbox.addFault({ kind: 'statusWord', word: 'Ready', insteadOf, videoUrl });
	expect(await service.getStatus(queueId)).toBe('pending');
	service.sandbox.finish(queueId);
	expect((await service.getProgress(queueId)).data.details).toMatchObject({
		...{ status: 'Ready', videoUrl },
	});
	service.sandbox.addFault({ kind: 'statusWord', word: 'ODD' });
	expect((await add()).data).toMatchObject({ newQueueItem: { status: 'ODD' } });
});

describe('An add is accepted and paid, whatever its reply says:', () => {
	const PAGE = '<html>Bad gateway</html>';
	it.each<[FaultSpec, object | string]>([
		[
			{ kind: 'status', status: 502, phase: 'after', body: PAGE, contentType: 'text/html' },
			{ status: 502, data: PAGE, headers: { 'content-type': 'text/html' } },
		],
		[{ kind: 'cutOff' }, { status: 200, data: expect.stringMatching(/^\{"status":/) as string }],
		[{ kind: 'missingField', field: 'newQueueItem' }, { data: { status: 'success' } }],
		[{ kind: 'reset', phase: 'after' }, 'ECONNRESET'],
	])('%j', async (fault, expected) => {
		service.sandbox.addFault({ ...fault, operation: 'queue.add' });
		const reply: unknown = await add().catch((error: unknown) => (error as { code: string }).code);
		if (typeof expected === 'string') expect(reply).toBe(expected);
		else expect(reply).toMatchObject(expected);
		expect(getCredits()).toBe(99);
		expect(service.sandbox.readState().queue).toHaveLength(1);
	});
});

it('latency delays one reply, or all of them as a setting', async () => {
	service.sandbox.addFault({ kind: 'latency', delayMs: 4000 });
	service.sandbox.configure({ latencyMs: 3000 });
	expect((await service.client.get('/v1/user/account')).status).toBe(200);
	expect(delays).toEqual([3000, 4000]);
});

it('A slow body arrives in pieces after its head', async () => {
	service.sandbox.addFault({ kind: 'slowBody', pieceBytes: 50, delayMs: 1000 });
	const { headers } = await service.client.get('/v1/user/account');
	expect(delays).toEqual(Array(Math.ceil(Number(headers['content-length']) / 50)).fill(1000));
});

it('A sandbox closes at once, with requests that hang or are slow', async () => {
	const sandbox = await startSandbox();
	sandbox.addFault({ kind: 'hang', times: 1 });
	sandbox.addFault({ kind: 'slowBody', pieceBytes: 1, delayMs: 60_000 });
	const client = createBareClient(sandbox);
	const open = ['/v1/videos', '/v1/projects'].map((path) => client.get(path));
	const ends = Promise.allSettled(open);
	await sandbox.waitForRequests({ count: 2 });
	await sandbox.close();
	for (const { status } of await ends) expect(status).toBe('rejected');
	await expect(client.get('/v1/user/account')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
