import type { FaultSpec } from '../../../sandbox/faults/FaultSpec';
import { useSandboxClient } from '../../support/sandbox/useSandboxClient';

const service = useSandboxClient();

const { add, queue, getProgress, getCredits } = service;

describe('status', () => {
	it('refuses a request before it is processed, in the words of the API', async () => {
		service.sandbox.addFault({ kind: 'status', status: 503, message: 'Down for maintenance' });
		const reply = await add();
		expect(reply.status).toBe(503);
		expect(reply.data).toEqual({ status: 'error', message: 'Down for maintenance' });
		expect(getCredits()).toBe(100);
		expect(service.sandbox.requests).toMatchObject([{ status: 503 }]);
	});
	it('has any body, type and headers', async () => {
		const body = { error: { code: 'nope' } };
		service.sandbox.addFault({
			kind: 'status',
			status: 422,
			body,
			headers: { 'X-Reason': 'none' },
		});
		const reply = await service.client.get('/v1/videos');
		expect([reply.status, reply.data, reply.headers['x-reason']]).toEqual([422, body, 'none']);

		service.sandbox.clearFaults();
		service.sandbox.addFault({
			kind: 'status',
			status: 502,
			body: '<nope/>',
			contentType: 'text/xml',
		});
		const text = await service.client.get('/v1/videos');
		expect([text.data, text.headers['content-type']]).toEqual(['<nope/>', 'text/xml']);
	});
});

it.each([301, 302, 303, 307, 308] as const)('redirect sends elsewhere with %i', async (status) => {
	service.sandbox.addFault({ kind: 'redirect', status, location: 'http://127.0.0.1:1/v1/videos' });
	const reply = await service.client.get('/v1/videos');
	expect([reply.status, reply.headers.location]).toEqual([status, 'http://127.0.0.1:1/v1/videos']);
});

it.each([
	['seconds', '90'],
	['date', 'Thu, 15 Jan 2026 12:01:31 GMT'],
	['none', undefined],
] as const)('tooManyRequests with Retry-After as %s', async (retryAfter, header) => {
	service.sandbox.clock.advance(1000);
	service.sandbox.addFault({ kind: 'tooManyRequests', retryAfter, seconds: 90 });
	const reply = await add();
	expect(reply.status).toBe(429);
	expect(reply.headers['retry-after']).toBe(header);
	expect(reply.data).toEqual({ status: 'error', message: 'Too many requests' });
	expect(getCredits()).toBe(100);
});

it('html answers with a web page', async () => {
	service.sandbox.addFault({ kind: 'html' });
	const reply = await service.client.get('/v1/user/account');
	expect(reply.status).toBe(200);
	expect(reply.headers['content-type']).toBe('text/html; charset=utf-8');
	expect(reply.data).toMatch(/^<!doctype html>/);
});
it('html takes the place of a video, too', async () => {
	const [video] = service.sandbox.addVideos('main', [{}]);
	service.sandbox.addFault({
		kind: 'html',
		operation: 'video.file',
		body: '<h1>Gone</h1>',
		status: 200,
	});
	expect((await service.client.get(`/files/${String(video?.id)}.mp4`)).data).toBe('<h1>Gone</h1>');
});

it('emptyBody sends nothing, under the right status and type', async () => {
	const [video] = service.sandbox.addVideos('main', [{}]);
	service.sandbox.addFault({ kind: 'emptyBody' });
	for (const [url, type] of [
		['/v1/videos', 'application/json; charset=utf-8'],
		[`/files/${String(video?.id)}.mp4`, 'video/mp4'],
	] as const) {
		const reply = await service.client.get(url);
		expect([reply.status, reply.data]).toEqual([200, '']);
		expect(reply.headers).toMatchObject({ 'content-type': type, 'content-length': '0' });
	}
});

it('contentType sends the right body under a wrong type, or under none', async () => {
	const read = async (value: string) => {
		service.sandbox.clearFaults();
		service.sandbox.addFault({ kind: 'contentType', value });
		const { data, headers } = await service.client.get<unknown>('/v1/videos');
		expect(data).toMatchObject({ status: 'success', videos: [] });
		return headers['content-type'] as unknown;
	};
	expect(await read('text/plain')).toBe('text/plain');
	expect(await read('')).toBeUndefined();
});

it('errorEnvelope says error under status 200', async () => {
	service.sandbox.addFault({ kind: 'errorEnvelope', message: 'No luck' });
	const reply = await add();
	expect(reply.status).toBe(200);
	expect(reply.data).toEqual({ status: 'error', message: 'No luck' });
	expect(getCredits()).toBe(100);
});

it.each(['newQueueItem', 'newQueueItem.queueId'])(
	'missingField leaves out %s, and the add is paid',
	async (field) => {
		service.sandbox.addFault({ kind: 'missingField', field });
		const { data } = await add();
		expect(data).toMatchObject({ status: 'success', message: expect.any(String) as string });
		expect(data).not.toHaveProperty(field);
		expect(getCredits()).toBe(99);
	},
);
it('missingField reaches into lists, and leaves alone what is not there', async () => {
	service.sandbox.addFault({ kind: 'missingField', field: 'projects.1.name' });
	service.sandbox.addFault({ kind: 'missingField', field: 'nothing.at.all' });
	const reply = await service.client.get('/v1/projects');
	expect(reply.data).not.toHaveProperty('projects.1.name');
	expect(reply.data).toHaveProperty('projects.0.name');
});

it('errorKey puts an empty error into the envelope and every resource', async () => {
	service.sandbox.addFault({ kind: 'errorKey' });
	expect((await add()).data).toMatchObject({ error: '', newQueueItem: { error: '' } });
	expect((await service.client.get('/v1/projects')).data).toMatchObject({
		...{ error: '', projects: [{ error: '' }, { error: '' }, { error: '' }, { error: '' }] },
	});
	service.sandbox.clearFaults();
	service.sandbox.addFault({ kind: 'errorKey', value: null });
	expect((await service.client.get('/v1/user/account')).data).toMatchObject({ error: null });
});
it('extraFields puts unknown fields there', async () => {
	service.sandbox.addFault({ kind: 'extraFields', fields: { owner: { team: 7 } } });
	expect((await service.client.get('/v1/user/account')).data).toMatchObject({
		...{ owner: { team: 7 }, usage: { remainingCredits: 100, owner: { team: 7 } } },
	});
});
it('faults of JSON replies leave other replies alone', async () => {
	const [video] = service.sandbox.addVideos('main', [{}]);
	service.sandbox.addFault({ kind: 'errorKey' });
	const reply = await service.client.get(`/files/${String(video?.id)}.mp4`);
	expect(reply.headers['content-type']).toBe('video/mp4');
});

describe('envelopeStatus', () => {
	it('replaces the word of a good reply, and the add is paid', async () => {
		service.sandbox.addFault({ kind: 'envelopeStatus', word: 'Success' });
		expect((await add()).data).toMatchObject({ status: 'Success', newQueueItem: {} });
		expect(getCredits()).toBe(99);
	});
	it('leaves an error alone', async () => {
		service.sandbox.addFault({ kind: 'envelopeStatus', word: 'ok' });
		expect((await getProgress('no-id')).data).toMatchObject({ status: 'error' });
	});
});

describe('oddEntries', () => {
	it('puts entries that are none among those of a list', async () => {
		const [first, second] = service.sandbox.addVideos('main', [{}, {}]);
		service.sandbox.addFault({ kind: 'oddEntries' });
		const { data } = await service.client.get<{ videos: { id: string }[] }>('/v1/videos');
		expect(data.videos).toHaveLength(11);
		expect(data.videos.slice(0, 5)).toEqual([
			...[null, { ...first, url: expect.any(String) as string }],
			...[7, { ...second, url: expect.any(String) as string }, 'odd'],
		]);
	});
	it('takes entries of your own, also for a list without any', async () => {
		service.sandbox.addFault({ kind: 'oddEntries', entries: [[null], 'x'] });
		const { data } = await service.client.get<{ videos: unknown[] }>('/v1/videos');
		expect(data.videos).toEqual([[null], 'x']);
	});
});

describe('commas', () => {
	it.each([64, 65, 200_001])('makes a list of zeros, %i bytes long', async (bytes) => {
		service.sandbox.addFault({ kind: 'commas', bytes });
		for (const [url, field] of [
			['/v1/videos', 'videos'],
			['/v1/projects', 'projects'],
		]) {
			const { data } = await service.client.get<string>(String(url), { responseType: 'text' });
			expect(data).toHaveLength(bytes);
			expect(data.startsWith(`{"status":"success","${String(field)}":[0,0,`)).toBe(true);
			const lists = JSON.parse(data) as Record<string, unknown[]>;
			expect(new Set(lists[String(field)])).toEqual(new Set([0]));
		}
	});
	it('is 64 MiB long when nothing is said, and leaves other replies alone', async () => {
		service.sandbox.addFault({ kind: 'commas' });
		const { data } = await service.client.get<Buffer>('/v1/videos', {
			responseType: 'arraybuffer',
		});
		expect(data).toHaveLength(64 * 1024 ** 2);
		expect((await add()).data).toMatchObject({ status: 'success' });
	});
});

it.each([
	['/v1/projects', 'projects.0.nested'],
	['/v1/user/account', 'nested'],
])('nestedJson nests lists deeper than JSON.stringify can: %s', async (url, path) => {
	service.sandbox.addFault({ kind: 'nestedJson', levels: 3 });
	expect((await service.client.get(url)).data).toHaveProperty(path, [[[]]]);
	service.sandbox.clearFaults();
	service.sandbox.addFault({ kind: 'nestedJson', levels: 200_000 });
	const { data } = await service.client.get<string>(url, { transformResponse: [] });
	expect(data).toContain('['.repeat(200_000) + ']'.repeat(200_000));
});

describe('an add that is accepted and paid, whatever its reply says', () => {
	const PAGE = '<html>Bad gateway</html>';
	const paid: [FaultSpec, object | string][] = [
		...[500, 502, 504].map((status): [FaultSpec, object] => [
			{ kind: 'status', status, phase: 'after', body: PAGE, contentType: 'text/html' },
			{ status, data: PAGE, headers: { 'content-type': 'text/html' } },
		]),
		[
			{ kind: 'html', phase: 'after', body: 'Hello' },
			{ status: 200, data: 'Hello' },
		],
		[{ kind: 'cutOff' }, { status: 200, data: expect.stringMatching(/^\{"status":/) as string }],
		[{ kind: 'cutOff', ending: 'break' }, 'ERR_BAD_RESPONSE'],
		[{ kind: 'emptyBody' }, { status: 200, data: '' }],
		[{ kind: 'missingField', field: 'newQueueItem' }, { data: { status: 'success' } }],
		[{ kind: 'latency', delayMs: 5, phase: 'after' }, { data: { newQueueItem: {} } }],
		[{ kind: 'reset', phase: 'after' }, 'ECONNRESET'],
		[{ kind: 'brokenHttp' }, 'HPE_INVALID_CONSTANT'],
	];
	it.each(paid)('%j', async (fault, expected) => {
		service.sandbox.addFault({ ...fault, operation: 'queue.add' });
		const reply: unknown = await add().catch((error: unknown) => (error as { code: string }).code);
		if (typeof expected === 'string') expect(reply).toBe(expected);
		else expect(reply).toMatchObject(expected);
		expect(getCredits()).toBe(99);
		expect(service.sandbox.readState().queue).toHaveLength(1);
	});
});

describe('statusWord', () => {
	it('calls every status by another word', async () => {
		const queueId = await queue();
		service.sandbox.addFault({ kind: 'statusWord', word: 'IN_PROGRESS' });
		expect((await getProgress(queueId)).data).toMatchObject({
			...{ status: 'success', details: { status: 'IN_PROGRESS', generationProgress: 0 } },
		});
		expect((await add()).data).toMatchObject({ newQueueItem: { status: 'IN_PROGRESS' } });
	});
	it('replaces one word only, and can bring the address of the video', async () => {
		const queueId = await queue();
		const videoUrl = 'http://127.0.0.1/x.mp4';
		service.sandbox.addFault({
			kind: 'statusWord',
			word: 'Ready',
			insteadOf: 'completed',
			videoUrl,
		});
		expect((await getProgress(queueId)).data).toMatchObject({ details: { status: 'pending' } });
		service.sandbox.finish(queueId);
		expect((await getProgress(queueId)).data).toMatchObject({
			details: { status: 'Ready', videoUrl },
		});
	});
});

it('leavesQueue: the item is gone, but its video still gets into the log', async () => {
	const [queueId, staying] = [await queue(), await queue()];
	service.sandbox.addFault({ kind: 'leavesQueue', containing: queueId, nth: 2 });
	expect((await getProgress(queueId)).status).toBe(200);
	expect((await getProgress(queueId)).status).toBe(404);
	expect((await getProgress(queueId)).status).toBe(404);
	expect((await getProgress(staying)).status).toBe(200);
	service.sandbox.clock.advance(8000);
	expect((await service.client.get<{ videos: [] }>('/v1/videos')).data.videos).toHaveLength(2);
});
it('leavesQueue also meets the item that is to be cleared', async () => {
	const queueId = await queue();
	service.sandbox.addFault({ kind: 'leavesQueue', operation: 'queue.clear' });
	expect((await service.client.post('/v1/queue/clear', { queueId })).status).toBe(404);
});

describe('textBefore', () => {
	it('puts a notice before the body', async () => {
		service.sandbox.addFault({ kind: 'textBefore' });
		const { data } = await add();
		expect(data).toMatch(/^<br \/>[^]+\{"status":"success"/);
		expect(getCredits()).toBe(99);
	});
	it('puts any text there', async () => {
		service.sandbox.addFault({ kind: 'textBefore', text: 'Hello ' });
		expect((await add()).data).toMatch(/^Hello \{"status":"success"/);
	});
});

describe('encoding', () => {
	const fetchBytes = async (fault: Extract<FaultSpec, { kind: 'encoding' }>) => {
		service.sandbox.addFault(fault);
		const reply = await service.client.get<Buffer>('/v1/projects', { responseType: 'arraybuffer' });
		return { bytes: reply.data, type: String(reply.headers['content-type']) };
	};
	it.each([
		['utf-8', 'efbbbf7b22'],
		['utf-16le', 'fffe7b002200'],
		['utf-16be', 'feff007b0022'],
	] as const)('writes %s with a byte order mark', async (as, beginning) => {
		const { bytes, type } = await fetchBytes({ kind: 'encoding', as, byteOrderMark: true });
		expect(bytes.toString('hex')).toMatch(new RegExp(`^${beginning}`));
		expect(type).toBe(`application/json; charset=${as}`);
	});
	it('can be undeclared and without a mark', async () => {
		const { bytes, type } = await fetchBytes({ kind: 'encoding', as: 'utf-16le', declared: false });
		expect(bytes.subarray(0, 4).toString('utf16le')).toBe('{"');
		expect(type).toBe('application/json');
	});
});
