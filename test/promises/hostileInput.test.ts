import * as zlib from 'node:zlib';
import type { INodeParameters } from 'n8n-workflow';
import { waitFor } from '../../scripts/waitFor';
import { ALL_OPERATIONS } from '../support/engine/OPERATIONS';
import { type NodeSetup, runNode } from '../support/engine/runNode';
import { useFileHost } from '../support/engine/useFileHost';

// Other texts of a service that means harm, up to a megabyte, are drawn in laws/hostile.test.ts.

const service = useFileHost();
const { brotliCompressSync, deflateSync, gzipSync } = zlib;
/** Since Node.js 22.15. */
const { zstdCompressSync } = zlib as { zstdCompressSync?: typeof gzipSync };
const PACKERS = Object.entries({
	gzip: gzipSync,
	deflate: deflateSync,
	br: brotliCompressSync,
	...(zstdCompressSync && { zstd: zstdCompressSync }),
});

const ONCE = { options: { maxTries: 1 } };

const run = async (parameters: INodeParameters, more: Partial<NodeSetup> = {}) => {
	const credentials = { baseUrl: service.url, apiKey: 'sk-0123456789' };
	return await runNode({ parameters, credentials, ...more });
};

test.each(PACKERS)(
	'A response that is packed with %s is read piece by piece, also from a proxy, and is an error where it is cut off',
	async (encoding, pack) => {
		const text = JSON.stringify({ status: 'success', usage: { remainingCredits: 5 } });
		const packed = pack(text);
		const readAccount = async (keptBytes: number, requestOptions: INodeParameters = {}) => {
			service.answer(({ headers }, response) => {
				// n8n in an older Node.js does not accept all of them.
				if (!headers['accept-encoding']?.includes(encoding)) {
					response.end(text);
					return;
				}
				response.writeHead(200, { 'content-encoding': encoding, 'content-length': packed.length });
				const send = (at: number) => {
					if (at === keptBytes) response.destroy();
					else response.write(packed.subarray(at, at + 1), () => setImmediate(send, at + 1));
				};
				send(0);
			});
			return await run({ ...ALL_OPERATIONS['account.get'], ...ONCE, requestOptions });
		};
		for (const requestOptions of [{}, { proxy: service.url }]) {
			const { items } = await readAccount(packed.length, requestOptions);
			expect(items.map(({ json }) => json.usage)).toEqual([{ remainingCredits: 5 }]);
		}
		const isPacked = service.requests[0]?.headers['accept-encoding']?.includes(encoding);
		const { error } = await readAccount(packed.length - 5);
		expect(error === undefined).toBe(!isPacked);
	},
);

/** 100 MB that are sent as 100 KB. */
const TAGS = '<a>'.repeat(33_000_000);
const ODD_KEYS = '\\u0073\\'.repeat(11_000_000);

test.each([
	['tags', 400, TAGS],
	['tags', 200, TAGS],
	['what looks like a key', 400, ODD_KEYS],
])(
	'100 MB of %s in a packed response with status %d take no minute, and make no long error',
	async (_what, status, words) => {
		const packed = gzipSync(`{"status":"error","message":"${words}"}`);
		service.answer((_request, response) => {
			const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
			response.writeHead(status, headers).end(packed);
		});
		// The time of the processor: others may be busy. Searching all of it takes more than a minute.
		const before = process.cpuUsage();
		const { error } = await run({ ...ALL_OPERATIONS['video.getAll'], ...ONCE });
		const { user } = process.cpuUsage(before);
		expect(error?.message.length).toBeGreaterThan(0);
		expect(`${error?.message}${error?.description}`.length).toBeLessThan(1_000);
		expect(user / 1_000_000).toBeLessThan(10);
	},
);

/** As much as fills the memory, if it is read: 32 MB each time it is sent. */
const SPACES = Buffer.alloc(32_000_000, ' ');

test.each(PACKERS)(
	'A response without end that is packed with %s is broken off when it is too long, at once',
	async (encoding, pack) => {
		let sentBytes = 0;
		const part = pack(SPACES);
		const closed = new Promise<void>((resolve) => {
			service.answer((_request, response) => {
				// Of gzip alone, several may follow each other.
				const send = () => {
					sentBytes += part.length;
					if (!response.destroyed) response.write(part, () => setImmediate(send));
				};
				response.on('close', resolve);
				response.writeHead(200, { 'content-encoding': encoding });
				send();
			});
		});
		const requestOptions = { timeout: 10_000 };
		const { error } = await run({ ...ALL_OPERATIONS['account.get'], ...ONCE, requestOptions });
		expect(error?.message).toBe('The response from the video service is too long');
		await closed;
		expect(sentBytes).toBeGreaterThan(0);
	},
);

/** Answers with a list whose entries are this text. */
const answerList = (entries: string) => {
	const packed = gzipSync(`{"status":"success","videos":[${entries}]}`);
	service.answer((_request, response) => {
		response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
	});
};

test('A list of more than 10 million values, which would end n8n once they are parsed, is too long', async () => {
	for (const part of ['{},', '"",', '[[]],']) {
		answerList(`${part.repeat(32_000_000 / part.length)}0`);
		const { error } = await run({ ...ALL_OPERATIONS['video.getAll'], ...ONCE });
		expect(error?.message).toBe('The response from the video service is too long');
	}
});

test('A list of fewer values is read, though its text is as long', async () => {
	answerList(`{"id":"a","title":"${'long, '.repeat(4_000_000)}"}`);
	const { items } = await run({ ...ALL_OPERATIONS['video.getAll'], ...ONCE });
	expect(items).toMatchObject([{ json: { id: 'a' } }]);
});

test('What n8n cannot save is left out of a response, and a paid video is not lost', async () => {
	const nest = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
	service.answer((_request, response) => {
		const extras = `"extra":${nest(50_000)},"list":[{"a":${nest(96)}},{"a":${nest(97)}}]`;
		const queueItem = `{"queueId":"queue-1","status":"pending",${extras}}`;
		response.end(`{"status":"success","newQueueItem":${queueItem}}`);
	});
	const { items, run: execution } = await run(ALL_OPERATIONS['queue.add']);
	// Counted from the beginning of the response, so many levels are kept.
	const whole = nest(96);
	const list = [
		{ a: JSON.parse(whole) as unknown },
		{ a: JSON.parse(`${'['.repeat(96)}null${']'.repeat(96)}`) as unknown },
	];
	expect(items[0]?.json).toMatchObject({ queueId: 'queue-1', list });
	expect(JSON.stringify(execution)).toContain('queue-1');
});

/** The shortest time that a service can be given, to end each request soon. */
const SOON = { ...ONCE, requestOptions: { timeout: 200 } };
const ITEM = { queueId: 'queue-1', projectId: 'project-1' };

test.each(['head', 'body'] as const)(
	'A %s that comes byte by byte without end holds no item and no connection, whatever is asked for',
	async (part) => {
		let open = 0;
		let most = 0;
		service.answer(({ socket }, response) => {
			most = Math.max(most, (open += 1));
			if (part === 'body') response.writeHead(200).write('{"status":"success"');
			else socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
			const timer = setInterval(() => {
				if (part === 'body') response.write(' ');
				else socket.write('x');
			}, 20);
			socket
				.on('error', () => undefined)
				.on('close', () => {
					open -= 1;
					clearInterval(timer);
				});
		});
		const endings = Object.entries(ALL_OPERATIONS).map(async ([name, parameters]) => {
			const waitOptions = { timeout: 1, pollingInterval: 1 };
			const items = [{ ...ITEM, url: `${service.url}/${name}`, id: 'video-1' }];
			const { error } = await run({ ...parameters, ...SOON, waitOptions }, { items });
			return error?.message;
		});
		for (const message of await Promise.all(endings)) expect(message).toBeDefined();
		// Many items ask for one place after the other.
		const many = await run(
			{ ...ALL_OPERATIONS['queue.getProgress'], ...SOON },
			{ items: Array(120).fill(ITEM), settings: { onError: 'continueRegularOutput' } },
		);
		expect(many.items).toHaveLength(120);
		expect(most).toBeLessThan(100);
		await waitFor('the connections to end', () => open === 0, 10_000);
	},
);
