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
