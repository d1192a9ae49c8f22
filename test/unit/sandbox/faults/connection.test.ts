import { Agent, request } from 'node:http';
import { useSandboxClient } from '../../../support/sandbox/useSandboxClient';

const ACCOUNT = '/v1/user/account';
/** As clients have it: a connection is not ended just because its reply is. */
const agent = new Agent({ keepAlive: true });

const service = useSandboxClient();
afterAll(() => {
	agent.destroy();
});

interface RawReply {
	status: number;
	headers: Record<string, unknown>;
	/** What came of the body, piece by piece. */
	pieces: Buffer[];
	/** Of the error that ended the body; undefined when it ended properly. */
	errorCode: string | undefined;
}

/** Reads a reply piece by piece, also one that breaks. Rejects when no head comes. */
async function readRaw(path: string, method = 'GET'): Promise<RawReply> {
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
const readBody = async (path = ACCOUNT) => {
	const reply = await readRaw(path);
	return { ...reply, body: Buffer.concat(reply.pieces) };
};
const addVideo = (): string =>
	`/files/${String(service.sandbox.addVideos('main', [{}])[0]?.id)}.mp4`;
const add = () =>
	service.client.post('/v1/queue/add', { projectId: service.sandbox.projects.teaser.id });
const readCredits = () => service.sandbox.readState().accounts[0]?.credits;

describe('hang', () => {
	it('never answers, and the request is not processed', async () => {
		service.sandbox.addFault({ kind: 'hang' });
		const request = service.client.post('/v1/queue/add', {}, { timeout: 50 });
		await expect(request).rejects.toMatchObject({ code: 'ECONNABORTED' });
		expect(readCredits()).toBe(100);
	});
	it('after processing: never answers, though the add is accepted and paid', async () => {
		service.sandbox.addFault({ kind: 'hang', phase: 'after' });
		const body = { projectId: service.sandbox.projects.teaser.id };
		const request = service.client.post('/v1/queue/add', body, { timeout: 300 });
		await expect(request).rejects.toMatchObject({ code: 'ECONNABORTED' });
		expect(readCredits()).toBe(99);
		expect(service.sandbox.readState().queue).toHaveLength(1);
	});
});

describe('reset', () => {
	it('resets the connection, and the request is not processed', async () => {
		service.sandbox.addFault({ kind: 'reset' });
		await expect(add()).rejects.toMatchObject({ code: 'ECONNRESET' });
		expect(readCredits()).toBe(100);
		expect(service.sandbox.requests).toMatchObject([{ operation: 'queue.add', broken: true }]);
		expect(service.sandbox.requests[0]).not.toHaveProperty('closed');
	});
	it('after processing: resets it, though the add is accepted and paid', async () => {
		service.sandbox.addFault({ kind: 'reset', phase: 'after' });
		await expect(add()).rejects.toMatchObject({ code: 'ECONNRESET' });
		expect(readCredits()).toBe(99);
	});
});

describe('latency', () => {
	it.each(['before', 'after'] as const)('lets the client wait (%s processing)', async (phase) => {
		service.sandbox.addFault({ kind: 'latency', delayMs: 40, phase });
		const start = performance.now();
		expect((await add()).status).toBe(200);
		expect(performance.now() - start).toBeGreaterThanOrEqual(39);
	});
	it('can be set for everything', async () => {
		service.sandbox.configure({ latencyMs: 40 });
		const start = performance.now();
		expect((await service.client.get(ACCOUNT)).status).toBe(200);
		expect(performance.now() - start).toBeGreaterThanOrEqual(39);
	});
});

describe('cutOff', () => {
	it('sends half a JSON as if it were all', async () => {
		service.sandbox.addFault({ kind: 'cutOff' });
		const { body, headers, errorCode } = await readBody();
		expect(errorCode).toBeUndefined();
		expect(headers['content-length']).toBe(String(body.length));
		expect(body.toString()).toMatch(/^\{"status":"success"/);
		expect(() => JSON.parse(body.toString()) as unknown).toThrow();
	});
	it('sends half a JSON in chunks that end properly', async () => {
		service.sandbox.addFault({ kind: 'cutOff', ending: 'chunked', keepBytes: 20 });
		const { body, headers, errorCode } = await readBody();
		expect(errorCode).toBeUndefined();
		expect(headers).toMatchObject({ 'transfer-encoding': 'chunked' });
		expect(headers).not.toHaveProperty('content-length');
		expect(body.toString()).toBe('{"status":"success",');
	});
	it('breaks in the middle of an announced length', async () => {
		const whole = await readBody();
		service.sandbox.addFault({ kind: 'cutOff', ending: 'break', keepBytes: 20 });
		const { body, headers, errorCode } = await readBody();
		expect(errorCode).toBe('ECONNRESET');
		expect(headers['content-length']).toBe(String(whole.body.length));
		expect(body).toHaveLength(20);
	});
	it('breaks in the middle of chunks', async () => {
		service.sandbox.addFault({ kind: 'cutOff', ending: 'breakChunked', keepBytes: 20 });
		const { body, headers, errorCode } = await readBody();
		expect(errorCode).toBe('ECONNRESET');
		expect(headers).not.toHaveProperty('content-length');
		expect(body).toHaveLength(20);
	});
	it('breaks off a video, of any size', async () => {
		const path = addVideo();
		service.sandbox.addFault({ kind: 'cutOff', ending: 'break', keepBytes: 100_000 });
		const { body, headers, errorCode } = await readBody(`${path}?sizeBytes=1073741824`);
		expect(errorCode).toBe('ECONNRESET');
		expect(headers['content-length']).toBe('1073741824');
		expect(body).toHaveLength(100_000);
	});
	it('can break before the first byte of the body', async () => {
		service.sandbox.addFault({ kind: 'cutOff', ending: 'break', keepBytes: 0 });
		const { status, body, errorCode } = await readBody();
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
		expect(readCredits()).toBe(99);
		expect(service.sandbox.requests).toMatchObject([{ operation: 'queue.add', broken: true }]);
	});
	it('can send an invalid chunk size after a good start', async () => {
		service.sandbox.addFault({ kind: 'brokenHttp', part: 'chunk' });
		await expect(readRaw(ACCOUNT)).rejects.toMatchObject({ code: 'HPE_INVALID_CHUNK_SIZE' });
	});
});

describe('wrongLength', () => {
	it('announces more than there is, and ends', async () => {
		const path = addVideo();
		const whole = await readBody(path);
		service.sandbox.addFault({ kind: 'wrongLength', byBytes: 10 });
		const { body, headers, errorCode } = await readBody(path);
		expect(headers['content-length']).toBe(String(whole.body.length + 10));
		expect(body).toHaveLength(whole.body.length);
		expect(errorCode).toBe('ECONNRESET');
	});
	it('announces less than there is', async () => {
		const path = addVideo();
		const whole = await readBody(path);
		service.sandbox.addFault({ kind: 'wrongLength', byBytes: -10 });
		const { headers } = await readRaw(path, 'HEAD');
		expect(headers['content-length']).toBe(String(whole.body.length - 10));
	});
});

it('slowBody sends the head at once, and the body in pieces', async () => {
	service.sandbox.addFault({ kind: 'slowBody', pieceBytes: 50, delayMs: 10 });
	const start = performance.now();
	const { pieces, headers, errorCode } = await readRaw(ACCOUNT);
	const body = Buffer.concat(pieces);
	expect(errorCode).toBeUndefined();
	expect(headers['content-length']).toBe(String(body.length));
	expect(JSON.parse(body.toString())).toMatchObject({ status: 'success' });
	expect(performance.now() - start).toBeGreaterThanOrEqual(29);
	expect(pieces.length).toBeGreaterThan(1);
});
