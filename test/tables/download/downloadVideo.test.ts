import { EventEmitter, once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { IBinaryData } from 'n8n-workflow';
import type { ApiOptions } from '../../../nodes/VideoGeneration/api/request';
import type { DownloadContext } from '../../../nodes/VideoGeneration/download/downloadVideo';
import {
	downloadVideo,
	parseVideoAddress,
	storeVideo,
} from '../../../nodes/VideoGeneration/download/downloadVideo';
import { readVideoFile } from '../../../sandbox/files/readVideoFile';

const VIDEO = readVideoFile('city-tour');
const FILE: IBinaryData = { data: '', mimeType: 'video/mp4' };
const WHOLE = { file: FILE };
const SECOND = 1000;
const HOUR = 3600 * SECOND;

/** A host that sends its file chunk by chunk, when the test says so. */
class Host {
	readonly body = new Readable({ read: () => undefined });

	/** The store awaits this promise for each chunk. */
	storing: Promise<unknown> = Promise.resolve();

	requests = 0;

	readonly context: DownloadContext = {
		helpers: {
			httpRequest: async ({ abortSignal }) => {
				this.requests += 1;
				const end = () => this.body.destroy(new Error('aborted'));
				(abortSignal as AbortSignal | undefined)?.addEventListener('abort', end);
				return await Promise.resolve({ statusCode: 200, headers: {}, body: this.body });
			},
			prepareBinaryData: async (stream) => {
				for await (const chunk of stream as Readable) if (chunk) await this.storing;
				return FILE;
			},
		},
	};

	send(from: number, to: number): void {
		this.body.push(VIDEO.subarray(from, to));
	}

	sendAll(from = 0): void {
		this.send(from, VIDEO.length);
		this.body.push(null);
	}
}

/** Starts a download. @returns its file or its error, once it has ended */
function start(host: Host, more: Partial<ApiOptions> = {}) {
	const outcome: { file?: IBinaryData; error?: unknown } = {};
	const address = 'https://files.example/a.mp4';
	const video = { address, addressField: 'url', takenNames: new Map<string, number>() };
	const connection = { timeout: 60 * SECOND };
	void downloadVideo(host.context, video, { maxTries: 1, connection, ...more }).then(
		(file) => (outcome.file = file),
		(error: unknown) => (outcome.error = error),
	);
	return outcome;
}

const pass = async (ms: number) => {
	await jest.advanceTimersByTimeAsync(ms);
	for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
};

describe('A download', () => {
	beforeEach(() => {
		jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
	});
	afterEach(() => {
		jest.useRealTimers();
	});

	test('goes on while something arrives now and then', async () => {
		const host = new Host();
		const outcome = start(host);
		for (let at = 0; at < 6000; at += 1000) {
			host.send(at, at + 1000);
			await pass(50 * SECOND);
		}
		expect(outcome).toEqual({});
		host.sendAll(6000);
		await pass(0);
		expect(outcome).toEqual(WHOLE);
	});

	test("does not end because n8n's store is slow, and leaves no timer behind", async () => {
		const host = new Host();
		const store = new EventEmitter();
		host.storing = once(store, 'end');
		const outcome = start(host);
		host.sendAll();
		await pass(10 * 60 * SECOND);
		expect(outcome).toEqual({});
		store.emit('end');
		await pass(SECOND);
		expect(outcome).toEqual(WHOLE);
		expect(jest.getTimerCount()).toBe(0);
	});

	test("ends at its deadline while n8n's store is still at work, and is not begun after it", async () => {
		const host = new Host();
		host.storing = new Promise(() => undefined);
		const deadline = performance.now() + 30 * SECOND;
		const outcome = start(host, { deadline });
		host.sendAll();
		await pass(29 * SECOND);
		expect(outcome).toEqual({});
		await pass(2 * SECOND);
		const late = start(host, { deadline });
		await pass(0);
		for (const { error } of [outcome, late]) {
			expect(error).toMatchObject({ facts: { httpCode: 'ETIMEDOUT' } });
		}
		expect(host.requests).toBe(1);
	});

	test('is not asked for again once a full disk has refused it', async () => {
		const host = new Host();
		host.context.helpers.prepareBinaryData = async () =>
			await Promise.reject(new Error('ENOSPC: no space left on device, write'));
		const outcome = start(host, { maxTries: 4 });
		host.sendAll();
		await pass(HOUR);
		expect(outcome.error).toMatchObject({ kind: 'storageFailed' });
		expect(host.requests).toBe(1);
	});

	test("that n8n's HTTP client never answers is a timeout", async () => {
		const host = new Host();
		host.context.helpers.httpRequest = async () => await new Promise<never>(() => undefined);
		const outcome = start(host);
		await pass(59 * SECOND);
		expect(outcome).toEqual({});
		await pass(2 * SECOND);
		expect(outcome.error).toMatchObject({ facts: { httpCode: 'ETIMEDOUT' } });
	});

	test('without a deadline ends after 6 hours, however the clock is set', async () => {
		const host = new Host();
		const outcome = start(host);
		for (let halfMinute = 0; halfMinute < 2 * 6 * 60; halfMinute++) {
			expect(outcome).toEqual({});
			host.send(halfMinute, halfMinute + 1);
			if (halfMinute === 30) jest.setSystemTime(Date.now() + 24 * HOUR);
			if (halfMinute === 60) jest.setSystemTime(Date.now() - 48 * HOUR);
			await pass(30 * SECOND);
		}
		expect(outcome.error).toMatchObject({ facts: { httpCode: 'ETIMEDOUT' } });
	});
});

const ENOSPC = 'ENOSPC: no space left on device, write';
const NO_SPACE = { kind: 'storageFailed', facts: { serviceMessage: ENOSPC } };
const RESET = { kind: 'uncertain', facts: { httpCode: 'ECONNRESET' } };
function* breakOff() {
	yield VIDEO.subarray(0, 1000);
	throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
}
const until = async (event: string, stream: Readable) =>
	await new Promise((resolve) => stream.resume().once(event, resolve));

test.each<[string, Iterable<Buffer>, (stream: Readable) => Promise<unknown>, object]>([
	[
		'that fails is the reason, whatever the store reports',
		breakOff(),
		async (stream) => {
			await until('error', stream);
			throw new Error('Premature end');
		},
		RESET,
	],
	[
		'that fails is the reason, also before the store listens to it',
		breakOff(),
		async (stream) => {
			await until('close', stream);
			await stream.toArray();
		},
		RESET,
	],
	[
		"that is complete is not the reason for the store's own failure",
		[VIDEO],
		async () => await Promise.reject(new Error(ENOSPC)),
		NO_SPACE,
	],
	[
		'that has more to come is not the reason for a disk that is full in its middle',
		[VIDEO.subarray(0, 1000), VIDEO.subarray(1000, 2000), VIDEO.subarray(2000)],
		async (stream) => {
			let written = 0;
			const write = (chunk: Buffer, _encoding: unknown, done: (error?: Error) => void) => {
				written += chunk.length;
				done(written > 1500 ? new Error(ENOSPC) : undefined);
			};
			await pipeline(stream, new Writable({ write }));
		},
		NO_SPACE,
	],
])('A stream on its way to the store %s', async (_what, body, prepareBinaryData, reason) => {
	const context = { helpers: { prepareBinaryData } } as unknown as DownloadContext;
	const response = { body: Readable.from(body), headers: {} };
	const storing = storeVideo(context, response, 'a.mp4', 60 * SECOND);
	await expect(storing).rejects.toMatchObject(reason);
});

describe('The address of a video', () => {
	test('is a web address as it is pasted', () => {
		const { href } = parseVideoAddress('  HTTPS://files.example/a.mp4?signature=b%2Fc\n') ?? {};
		expect(href).toBe('https://files.example/a.mp4?signature=b%2Fc');
	});

	test.each([
		...['', undefined, {}, ['https://files.example/a.mp4'], 7, 'file:///etc/passwd'],
		...['javascript:alert(1)', '//files.example/a.mp4', 'files.example/a.mp4', 'http://'],
		...['https://ada@files.example/a.mp4', 'https://:secret@files.example/a.mp4'],
		'data:https://files.example/a.mp4',
	])('is not %j', (value) => {
		expect(parseVideoAddress(value)).toBeUndefined();
	});
});
