import { gzipSync } from 'node:zlib';
import { ALL_OPERATIONS } from '../support/engine/OPERATIONS';
import { runNode } from '../support/engine/runNode';
import { useFileHost } from '../support/engine/useFileHost';

// Other texts of a service that means harm, up to a megabyte, are drawn in random/hostile.test.ts.

const service = useFileHost();

/** 100 MB that are sent as 100 KB. */
const TAGS = '<a>'.repeat(33_000_000);
const ODD_KEYS = '\\u0073\\'.repeat(11_000_000);

test.each([
	['tags', 400, TAGS, 'account.get'],
	['tags', 200, TAGS, 'video.getAll'],
	['what looks like a key', 400, ODD_KEYS, 'video.getAll'],
] as const)(
	'100 MB of %s in a packed response with status %d take no minute, and make no long error',
	async (_what, status, words, operation) => {
		const packed = gzipSync(`{"status":"error","message":"${words}"}`);
		service.answer((_request, response) => {
			const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
			response.writeHead(status, headers).end(packed);
		});
		const setup = {
			parameters: { ...ALL_OPERATIONS[operation], options: { maxTries: 1 } },
			credentials: { baseUrl: service.url, apiKey: 'sk-0123456789' },
		};
		// The time of the processor: others may be busy. Searching all of it takes more than a minute.
		const before = process.cpuUsage();
		const { error } = await runNode(setup);
		const { user } = process.cpuUsage(before);
		expect(error?.message.length).toBeGreaterThan(0);
		expect(`${error?.message}${error?.description}`.length).toBeLessThan(1_000);
		expect(user / 1_000_000).toBeLessThan(10);
	},
);

test('A packed response without end is broken off when it is too long', async () => {
	// As much as fills the memory, if it is read.
	const part = gzipSync(Buffer.alloc(32_000_000, ' '));
	let parts = 0;
	service.answer((_request, response) => {
		const send = () => {
			if (parts < 12 && !response.destroyed) response.write(part, send);
			parts += 1;
		};
		response.writeHead(200, { 'content-encoding': 'gzip' });
		send();
	});
	const { error } = await runNode({
		parameters: {
			...ALL_OPERATIONS['account.get'],
			options: { maxTries: 1 },
			requestOptions: { timeout: 10_000 },
		},
		credentials: { baseUrl: service.url, apiKey: 'sk-0123456789' },
	});
	expect(error?.message).toBe('The response from the video service is too long');
});

test('What n8n cannot save is left out of a response, and a paid video is not lost', async () => {
	const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
	service.answer((_request, response) => {
		const queueItem = `{"queueId":"queue-1","status":"pending","extra":${deep}}`;
		response.end(`{"status":"success","newQueueItem":${queueItem}}`);
	});
	const { items, run } = await runNode({
		parameters: ALL_OPERATIONS['queue.add'],
		credentials: { baseUrl: service.url, apiKey: 'sk-0123456789' },
	});
	expect(items[0]?.json.queueId).toBe('queue-1');
	expect(JSON.stringify(run)).toContain('queue-1');
});
