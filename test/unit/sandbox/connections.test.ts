import { Agent, type ClientRequest, request } from 'node:http';
import type { Readable } from 'node:stream';
import { startSandbox } from '../../../sandbox/startSandbox';
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
beforeEach(() => {
	delays.length = 0;
});
afterAll(() => {
	agent.destroy();
});

interface Received {
	/** Undefined if no head arrived. */
	status?: number;
	headers: Record<string, unknown>;
	body: string;
	/** Code of the error that ended the body or the request; undefined if it ended properly. */
	code?: string;
}

/** Reads a reply as far as it arrives. */
async function receive(sent: ClientRequest): Promise<Received> {
	return await new Promise((resolve) => {
		const received: Received = { headers: {}, body: '' };
		const fail = ({ code }: NodeJS.ErrnoException) => {
			received.code ??= code;
			resolve(received);
		};
		sent.on('error', fail);
		sent.on('response', (response) => {
			received.status = response.statusCode;
			received.headers = response.headers;
			response.setEncoding('latin1');
			response.on('data', (piece: string) => (received.body += piece));
			response.on('error', fail);
			response.on('end', () => {
				resolve(received);
			});
		});
		sent.end();
	});
}
const get = async (path = ACCOUNT) => {
	const headers = { authorization: `Bearer ${service.sandbox.apiKey}` };
	return await receive(request(`${service.sandbox.url}${path}`, { headers, agent }));
};

it.each([
	['before', 100],
	['after', 99],
] as const)('hang never replies; %s processing, %i credits are left', async (phase, credits) => {
	service.sandbox.addFault({ kind: 'hang', phase, operation: 'queue.add' });
	const leaving = new AbortController();
	const body = { projectId: service.sandbox.projects.teaser.id };
	const replied = jest.fn();
	const sent = service.client
		.post('/v1/queue/add', body, { signal: leaving.signal })
		.then(replied, () => 'left');
	await service.sandbox.waitForRequests({ count: 1 });
	// A later request with a response shows that the first one has been processed.
	await get();
	expect(service.getCredits()).toBe(credits);
	leaving.abort();
	expect(await sent).toBe('left');
	expect(replied).not.toHaveBeenCalled();
});

it('latency delays one reply, or all of them as a setting', async () => {
	service.sandbox.addFault({ kind: 'latency', delayMs: 4000 });
	service.sandbox.configure({ latencyMs: 3000 });
	expect((await get()).status).toBe(200);
	expect(delays).toEqual([3000, 4000]);
});

describe('A body', () => {
	it('is cut off as if it were complete', async () => {
		service.sandbox.addFault({ kind: 'cutOff' });
		const { body, headers, code } = await get();
		expect(code).toBeUndefined();
		expect(headers['content-length']).toBe(String(body.length));
		expect(() => JSON.parse(body) as unknown).toThrow();
	});
	it.each([
		['chunked', undefined],
		['breakChunked', 'ECONNRESET'],
	] as const)('is cut off without a length: %s', async (ending, code) => {
		service.sandbox.addFault({ kind: 'cutOff', ending, keepBytes: 20 });
		const received = await get();
		expect(received.headers).not.toHaveProperty('content-length');
		expect([received.body, received.code]).toEqual(['{"status":"success",', code]);
	});
	it('breaks off within the announced length, of a video of any size too', async () => {
		const [video] = service.sandbox.addVideos('main', [{}]);
		service.sandbox.addFault({ kind: 'cutOff', ending: 'break', keepBytes: 100_000 });
		const { body, headers, code } = await get(`/files/${video?.id}.mp4?sizeBytes=1073741824`);
		expect(headers['content-length']).toBe('1073741824');
		expect([body.length, code]).toEqual([100_000, 'ECONNRESET']);
	});
	it('is shorter than announced', async () => {
		const { body: whole } = await get();
		service.sandbox.addFault({ kind: 'wrongLength', byBytes: 10 });
		const { body, headers, code } = await get();
		expect(Number(headers['content-length'])).toBe(whole.length + 10);
		expect([body.length, code]).toEqual([whole.length, 'ECONNRESET']);
	});
	it('arrives in pieces after its head', async () => {
		service.sandbox.addFault({ kind: 'slowBody', pieceBytes: 50, delayMs: 1000 });
		const { body, headers, code } = await get();
		expect([headers['content-length'], code]).toEqual([String(body.length), undefined]);
		expect(delays).toEqual(Array(Math.ceil(body.length / 50)).fill(1000));
	});
	it('never ends until the client leaves', async () => {
		service.sandbox.addFault({ kind: 'endlessBody', pieceBytes: 5, delayMs: 1000 });
		const leaving = new AbortController();
		const { signal } = leaving;
		const { data } = await service.client.get<Readable>(ACCOUNT, {
			responseType: 'stream',
			signal,
		});
		let text = '';
		await expect(async () => {
			for await (const chunk of data) {
				text += String(chunk);
				if (text.length > 1000) leaving.abort();
			}
		}).rejects.toThrow('canceled');
		expect(text).toMatch(/^\{"status":"success","message":"x+$/);
		await service.sandbox.waitForRequests({ count: 1, closed: true });
	});
});

it.each([
	['statusLine', 'HPE_INVALID_CONSTANT'],
	['header', 'HPE_INVALID_HEADER_TOKEN'],
	['chunk', 'HPE_INVALID_CHUNK_SIZE'],
] as const)('brokenHttp sends an invalid %s', async (part, code) => {
	service.sandbox.addFault({ kind: 'brokenHttp', part });
	expect((await get()).code).toBe(code);
});

it('A sandbox closes at once, with requests that hang or are slow', async () => {
	const sandbox = await startSandbox();
	sandbox.addFault({ kind: 'hang', times: 1 });
	sandbox.addFault({ kind: 'slowBody', pieceBytes: 1, delayMs: 60_000 });
	const headers = { authorization: `Bearer ${sandbox.apiKey}` };
	const open = ['/v1/videos', '/v1/projects'].map((path) =>
		receive(request(`${sandbox.url}${path}`, { headers })),
	);
	await sandbox.waitForRequests({ count: 2 });
	await sandbox.close();
	for (const { code } of await Promise.all(open)) expect(code).toBe('ECONNRESET');
	expect((await receive(request(sandbox.url))).code).toBe('ECONNREFUSED');
});
