import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import axios from 'axios';
import { fetchAccount, fetchVideoLog } from '../../nodes/VideoGeneration/api/endpoints';
import type { Service } from '../../nodes/VideoGeneration/api/request';
import type { RequestFailure } from '../../nodes/VideoGeneration/failures/failure';

const MB = 1_000_000;
/** The memory over idle at a response that is broken off, as a multiple of its limit. */
const BROKEN_OFF_LIMIT = 2.5;
/** The same at one that is accepted, as a multiple of what parsing the same bytes takes. */
const ACCEPTED_LIMIT = 1.5;
/** Entries of the list that is accepted: 46 MB. */
const ENTRIES = 250_000;
const RUNS = 5;

const CASES = {
	idle: async () => {
		await Promise.resolve();
	},
	/** Without end. */
	account: async (url: string) => await fetchAccount(createService(`${url}/endless`), RETRIES),
	videos: async (url: string) => await fetchVideoLog(createService(`${url}/endless`), RETRIES),
	list: async (url: string) => await fetchVideoLog(createService(`${url}/list`), RETRIES),
	parse: async (url: string) => {
		const { data } = await axios.get<string>(`${url}/list`, { transformResponse: [] });
		return JSON.parse(data) as unknown;
	},
};
type Case = keyof typeof CASES;
const RETRIES = { maxTries: 1 };

/** The service, as n8n's own helper requests it. */
function createService(baseUrl: string): Service {
	const send = async (_type: string, options: { url: string }) => {
		const { data, headers, status } = await axios.get<unknown>(baseUrl + options.url, {
			responseType: 'stream',
			maxContentLength: Infinity,
		});
		return { body: data, headers, statusCode: status };
	};
	const context = { helpers: { httpRequestWithAuthentication: send } };
	return { context, baseUrl, keyId: 1, hide: String } as unknown as Service;
}

/** Answers with a packed response without end, or with a long list, until the process that started this one ends. */
function serve(): void {
	const part = gzipSync(Buffer.alloc(16 * MB, ' '));
	const entries = Array.from({ length: ENTRIES }, (_, i) => ({
		id: `video-${i}`,
		url: `https://cdn.example.com/videos/${i}/file.mp4?signature=0123456789abcdef`,
		projectId: 'project-product-teaser',
		createdAt: new Date(i * 1_000).toISOString(),
	}));
	const list = JSON.stringify({ status: 'success', videos: entries });
	const server = createServer(({ url = '' }, response) => {
		if (url.startsWith('/list')) return response.end(list);
		response.writeHead(200, { 'content-encoding': 'gzip' });
		// After a turn of the event loop, in which the end of the connection is noticed.
		const send = () => !response.destroyed && response.write(part, () => setImmediate(send));
		return send();
	});
	server.listen(0, '127.0.0.1', () => {
		process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
	});
	process.on('disconnect', () => process.exit());
}

/** @returns the most memory that a new process had in MB, the median of several */
function measure(name: Case, url: string): number {
	const args = [...process.execArgv, __filename, name, url];
	const run = () => Number(execFileSync(process.execPath, args, { encoding: 'utf8' }));
	const all = Array.from({ length: RUNS }, run).sort((a, b) => a - b);
	return all[RUNS >> 1] ?? 0;
}

/** Measures how much memory a response takes: one that is broken off, and one that is accepted. */
async function main(): Promise<void> {
	const server = fork(__filename, ['serve']);
	try {
		const [url] = (await once(server, 'message')) as [string];
		const idle = measure('idle', url);
		const over = (name: Case) => measure(name, url) - idle;
		const figures = [
			[
				'Videos without end, in multiples of their limit of 256 MB',
				over('videos') / 256,
				BROKEN_OFF_LIMIT,
			],
			[
				`${ENTRIES} videos, in multiples of parsing them`,
				over('list') / over('parse'),
				ACCEPTED_LIMIT,
			],
		] as const;
		for (const [title, value, limit] of figures) {
			console.log(`Memory: ${title}: ${value.toFixed(2)} (limit ${limit})`);
			if (value > limit) process.exitCode = 1;
		}
		// Next to the memory of a process, 4 MB are few.
		console.log(
			`Memory: an account without end: ${over('account').toFixed(0)} MB over ${idle.toFixed(0)}`,
		);
	} finally {
		server.disconnect();
	}
}

/** Runs a case in this process, and prints its memory. */
async function runCase(name: Case, url: string): Promise<void> {
	const content = await CASES[name](url).then(
		() => undefined,
		(error: unknown) => (error as RequestFailure).facts.content,
	);
	const isEndless = name === 'account' || name === 'videos';
	if (content !== (isEndless ? 'tooLong' : undefined)) throw new Error(`${name}: ${content}`);
	console.log((process.resourceUsage().maxRSS * 1_024) / MB);
	process.exit();
}

const [name = '', url = ''] = process.argv.slice(2);
if (name === 'serve') serve();
else if (name in CASES) void runCase(name as Case, url);
else void main();
