import { Agent, request } from 'node:http';
import type { Readable } from 'node:stream';
import { useSandboxClient } from '../../support/sandbox/useSandboxClient';

const ACCOUNT = '/v1/user/account';
/** Keeps connections open after a reply, as clients do. */
const agent = new Agent({ keepAlive: true });
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
afterAll(() => {
	agent.destroy();
});

interface RawReply {
	status: number;
	headers: Record<string, unknown>;
	/** The parts of the body as they arrived. */
	pieces: Buffer[];
	/** Code of the error that ended the body; undefined if it ended properly. */
	errorCode: string | undefined;
}

/** Reads a reply piece by piece, even one that breaks. Rejects if no head arrives. */
async function fetchRaw(path: string, method = 'GET'): Promise<RawReply> {
	return await new Promise((resolve, reject) => {
		const headers = { authorization: `Bearer ${service.sandbox.apiKey}` };
		const sent = request(`${service.sandbox.url}${path}`, { method, headers, agent }, (reply) => {
			const pieces: Buffer[] = [];
			let errorCode: string | undefined;
			reply.on('data', (piece: Buffer) => pieces.push(piece));
			reply.on('error', (error: NodeJS.ErrnoException) => {
				errorCode = error.code;
			});
			reply.on('close', () => {
				resolve({ status: reply.statusCode ?? 0, headers: reply.headers, pieces, errorCode });
			});
		});
		sent.on('error', reject);
		sent.end();
	});
}
const fetchBody = async (path = ACCOUNT) => {
	const reply = await fetchRaw(path);
	return { ...reply, body: Buffer.concat(reply.pieces) };
};
const addVideo = (): string =>
	`/files/${String(service.sandbox.addVideos('main', [{}])[0]?.id)}.mp4`;

it.each([
	['before', 100],
	['after', 99],
] as const)('hang never replies; %s processing, %i credits are left', async (phase, credits) => {
	service.sandbox.addFault({ kind: 'hang', phase, operation: 'queue.add' });
	const leaving = new AbortController();
	const body = { projectId: service.sandbox.projects.teaser.id };
	const replied = jest.fn();
	const request = service.client
		.post('/v1/queue/add', body, { signal: leaving.signal })
		.then(replied, () => 'left');
	await service.sandbox.waitForRequests({ count: 1 });
	// A later request with a response shows that the first one has been processed.
	await service.client.get(ACCOUNT);
	expect(getCredits()).toBe(credits);
	leaving.abort();
	expect(await request).toBe('left');
	expect(replied).not.toHaveBeenCalled();
});

it('reset breaks the connection, and the request is not processed', async () => {
	service.sandbox.addFault({ kind: 'reset' });
	await expect(add()).rejects.toMatchObject({ code: 'ECONNRESET' });
	expect(getCredits()).toBe(100);
	expect(service.sandbox.requests).toMatchObject([{ operation: 'queue.add', broken: true }]);
	expect(service.sandbox.requests[0]).not.toHaveProperty('closed');
});

describe('latency', () => {
	it.each(['before', 'after'] as const)('delays the reply %s processing', async (phase) => {
		service.sandbox.addFault({ kind: 'latency', delayMs: 4000, phase });
		expect((await add()).status).toBe(200);
		expect(delays).toEqual([4000]);
	});
	it('can be set for everything', async () => {
		service.sandbox.configure({ latencyMs: 4000 });
		expect((await service.client.get(ACCOUNT)).status).toBe(200);
		expect(delays).toEqual([4000]);
	});
});

describe('cutOff', () => {
	it('sends half a JSON as if it were all', async () => {
		service.sandbox.addFault({ kind: 'cutOff' });
		const { body, headers, errorCode } = await fetchBody();
		expect(errorCode).toBeUndefined();
		expect(headers['content-length']).toBe(String(body.length));
		expect(body.toString()).toMatch(/^\{"status":"success"/);
		expect(() => JSON.parse(body.toString()) as unknown).toThrow();
	});
	it('sends half a JSON in chunks that end properly', async () => {
		service.sandbox.addFault({ kind: 'cutOff', ending: 'chunked', keepBytes: 20 });
		const { body, headers, errorCode } = await fetchBody();
		expect(errorCode).toBeUndefined();
		expect(headers).toMatchObject({ 'transfer-encoding': 'chunked' });
		expect(headers).not.toHaveProperty('content-length');
		expect(body.toString()).toBe('{"status":"success",');
	});
	it('breaks in the middle of an announced length', async () => {
		const whole = await fetchBody();
		service.sandbox.addFault({ kind: 'cutOff', ending: 'break', keepBytes: 20 });
		const { body, headers, errorCode } = await fetchBody();
		expect(errorCode).toBe('ECONNRESET');
		expect(headers['content-length']).toBe(String(whole.body.length));
		expect(body).toHaveLength(20);
	});
	it('breaks in the middle of chunks', async () => {
		service.sandbox.addFault({ kind: 'cutOff', ending: 'breakChunked', keepBytes: 20 });
		const { body, headers, errorCode } = await fetchBody();
		expect(errorCode).toBe('ECONNRESET');
		expect(headers).not.toHaveProperty('content-length');
		expect(body).toHaveLength(20);
	});
	it('breaks off a video, of any size', async () => {
		const path = addVideo();
		service.sandbox.addFault({ kind: 'cutOff', ending: 'break', keepBytes: 100_000 });
		const { body, headers, errorCode } = await fetchBody(`${path}?sizeBytes=1073741824`);
		expect(errorCode).toBe('ECONNRESET');
		expect(headers['content-length']).toBe('1073741824');
		expect(body).toHaveLength(100_000);
	});
	it('can break before the first byte of the body', async () => {
		service.sandbox.addFault({ kind: 'cutOff', ending: 'break', keepBytes: 0 });
		const { status, body, errorCode } = await fetchBody();
		expect([status, body.length, errorCode]).toEqual([200, 0, 'ECONNRESET']);
	});
});

describe('brokenHttp', () => {
	it.each([
		['statusLine', 'HPE_INVALID_CONSTANT'],
		['header', 'HPE_INVALID_HEADER_TOKEN'],
	] as const)('processes the request, and sends an invalid %s', async (part, code) => {
		service.sandbox.addFault({ kind: 'brokenHttp', part });
		await expect(add()).rejects.toMatchObject({ code });
		expect(getCredits()).toBe(99);
		expect(service.sandbox.requests).toMatchObject([{ operation: 'queue.add', broken: true }]);
	});
	it('can send an invalid chunk size after a good start', async () => {
		service.sandbox.addFault({ kind: 'brokenHttp', part: 'chunk' });
		await expect(fetchRaw(ACCOUNT)).rejects.toMatchObject({ code: 'HPE_INVALID_CHUNK_SIZE' });
	});
});

describe('wrongLength', () => {
	it('announces more than there is, and ends', async () => {
		const path = addVideo();
		const whole = await fetchBody(path);
		service.sandbox.addFault({ kind: 'wrongLength', byBytes: 10 });
		const { body, headers, errorCode } = await fetchBody(path);
		expect(headers['content-length']).toBe(String(whole.body.length + 10));
		expect(body).toHaveLength(whole.body.length);
		expect(errorCode).toBe('ECONNRESET');
	});
	it('announces less than there is', async () => {
		const path = addVideo();
		const whole = await fetchBody(path);
		service.sandbox.addFault({ kind: 'wrongLength', byBytes: -10 });
		const { headers } = await fetchRaw(path, 'HEAD');
		expect(headers['content-length']).toBe(String(whole.body.length - 10));
	});
});

it('slowBody sends the head at once, and the body in pieces', async () => {
	service.sandbox.addFault({ kind: 'slowBody', pieceBytes: 50, delayMs: 1000 });
	const { body, headers, errorCode } = await fetchBody();
	expect(errorCode).toBeUndefined();
	expect(headers['content-length']).toBe(String(body.length));
	expect(JSON.parse(body.toString())).toMatchObject({ status: 'success' });
	expect(delays).toEqual(Array(Math.ceil(body.length / 50)).fill(1000));
});

it('endlessBody drips until the client leaves', async () => {
	service.sandbox.addFault({ kind: 'endlessBody', pieceBytes: 5, delayMs: 1000, phase: 'after' });
	const leaving = new AbortController();
	const { data } = await service.client.get<Readable>(ACCOUNT, {
		responseType: 'stream',
		signal: leaving.signal,
	});
	let text = '';
	await expect(async () => {
		for await (const chunk of data) {
			text += String(chunk);
			if (text.length > 1000) leaving.abort();
		}
	}).rejects.toThrow('canceled');
	expect(text).toMatch(/^\{"status":"success","message":"x+$/);
	expect(delays.length).toBeGreaterThan(100);
	await service.sandbox.waitForRequests({ count: 1, closed: true });
});
