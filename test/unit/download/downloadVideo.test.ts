import { Readable } from 'node:stream';
import type { IBinaryData } from 'n8n-workflow';
import type { ApiOptions } from '../../../nodes/VideoGeneration/api/request';
import type { DownloadContext } from '../../../nodes/VideoGeneration/download/downloadVideo';
import {
	downloadVideo,
	hideQuery,
	parseVideoAddress,
	storeVideo,
} from '../../../nodes/VideoGeneration/download/downloadVideo';
import { readVideoFile } from '../../../sandbox/files/readVideoFile';

const VIDEO = readVideoFile('city-tour');
const FILE: IBinaryData = { data: '', mimeType: 'video/mp4' };
const WHOLE = { file: { bytes: VIDEO.length, ...FILE } };
const SECOND = 1000;
const HOUR = 3600 * SECOND;
const never = new Promise<void>(() => undefined);

/** A host that sends its file chunk by chunk, when the test says so. */
class Host {
	readonly body = new Readable({ read: () => undefined });

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

	/** The store awaits this promise for each chunk. */
	storing = Promise.resolve();

	send(from: number, to: number): void {
		this.body.push(VIDEO.subarray(from, to));
	}

	sendAll(): void {
		this.send(0, VIDEO.length);
		this.body.push(null);
	}
}

/** Starts a download. @returns its file or its error, once it has ended */
function start(host: Host, more: Partial<ApiOptions> = {}) {
	const outcome: { file?: IBinaryData; error?: unknown } = {};
	const video = { address: 'https://files.example/a.mp4', addressField: 'url' };
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

	test('ends when the host sends nothing for the timeout', async () => {
		const host = new Host();
		const outcome = start(host);
		await pass(0);
		host.send(0, 1000);
		await pass(59 * SECOND);
		expect(outcome).toEqual({});
		await pass(61 * SECOND);
		expect(outcome.error).toMatchObject({
			kind: 'uncertain',
			facts: { httpCode: 'ETIMEDOUT', address: 'https://files.example/a.mp4' },
		});
		expect(host.body.destroyed).toBe(true);
	});

	test('goes on while something arrives now and then', async () => {
		const host = new Host();
		const outcome = start(host);
		for (let at = 0; at < 6000; at += 1000) {
			host.send(at, at + 1000);
			await pass(50 * SECOND);
		}
		expect(outcome).toEqual({});
		host.send(6000, VIDEO.length);
		host.body.push(null);
		await pass(0);
		expect(outcome).toEqual(WHOLE);
	});

	test("does not end because n8n's store is slow, and leaves no timer behind", async () => {
		const host = new Host();
		let endStoring: () => void = () => undefined;
		host.storing = new Promise((resolve) => {
			endStoring = resolve;
		});
		const outcome = start(host);
		host.sendAll();
		await pass(10 * 60 * SECOND);
		expect(outcome).toEqual({});
		endStoring();
		await pass(SECOND);
		expect(outcome).toEqual(WHOLE);
		expect(jest.getTimerCount()).toBe(0);
	});

	test('ends at its deadline, and no other try begins', async () => {
		const host = new Host();
		const outcome = start(host, { maxTries: 4, deadline: performance.now() + 30 * SECOND });
		for (let at = 0; at < 29; at++) {
			host.send(at * 100, at * 100 + 100);
			await pass(SECOND);
		}
		expect(outcome).toEqual({});
		await pass(SECOND);
		expect(outcome.error).toMatchObject({
			facts: { httpCode: 'ETIMEDOUT', tries: 1 },
		});
		expect(host.requests).toBe(1);
	});

	test("ends at its deadline while n8n's store is still at work, and is not begun after it", async () => {
		const host = new Host();
		host.storing = never;
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

	test('without a deadline ends after 6 hours, however the clock is set', async () => {
		const host = new Host();
		const outcome = start(host);
		for (let at = 0; at < 2 * 6 * 60 - 1; at++) {
			host.send(at, at + 1);
			if (at === 30) jest.setSystemTime(Date.now() + 24 * HOUR);
			if (at === 60) jest.setSystemTime(Date.now() - 48 * HOUR);
			await pass(30 * SECOND);
		}
		expect(outcome).toEqual({});
		await pass(30 * SECOND);
		expect(outcome.error).toMatchObject({ facts: { httpCode: 'ETIMEDOUT' } });
	});
});

describe('A stream on its way to the store', () => {
	/** Passes a body on to a store. @returns the error, and the state of the transfer */
	async function store(
		body: Iterable<Buffer>,
		prepareBinaryData: (stream: Readable) => Promise<unknown>,
	) {
		const transfer = { receivedBytes: 0 };
		const helpers = {
			httpRequest: () => Promise.reject(new Error('not needed')),
			prepareBinaryData: prepareBinaryData as DownloadContext['helpers']['prepareBinaryData'],
		};
		const response = { body: Readable.from(body), headers: {} };
		const storing = storeVideo({ helpers }, response, 'a.mp4', transfer);
		const error: unknown = await storing.then(
			() => undefined,
			(reason: unknown) => reason,
		);
		return { error, transfer };
	}

	function* breakOff() {
		yield VIDEO.subarray(0, 1000);
		throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
	}
	const readUntilError = async (stream: Readable) => {
		await new Promise((resolve) => stream.resume().once('error', resolve));
		throw new Error('Premature end');
	};

	test('that fails is the reason, whatever the store reports', async () => {
		const { error, transfer } = await store(breakOff(), readUntilError);
		expect(error).toMatchObject({ kind: 'uncertain', facts: { httpCode: 'ECONNRESET' } });
		expect(transfer.receivedBytes).toBe(1000);
	});

	test('that fails before the store listens to it ends nothing but the download', async () => {
		const { error } = await store(breakOff(), async (stream) => {
			stream.resume();
			await new Promise((resolve) => stream.once('close', resolve));
			await stream.toArray();
		});
		expect(error).toMatchObject({ kind: 'uncertain', facts: { httpCode: 'ECONNRESET' } });
	});

	test("that is complete is not the reason for the store's own failure", async () => {
		const serviceMessage = 'ENOSPC: no space left on device, write';
		const { error } = await store([VIDEO], () => Promise.reject(new Error(serviceMessage)));
		expect(error).toMatchObject({ kind: 'storageFailed', facts: { serviceMessage } });
	});
});

describe('The address of a video', () => {
	test.each([
		[
			'  https://files.example/a.mp4?signature=b%2Fc\n',
			'https://files.example/a.mp4?signature=b%2Fc',
		],
		['HTTP://[::1]:8080/a', 'http://[::1]:8080/a'],
	])('%j is %s', (text, href) => {
		expect(parseVideoAddress(text)).toMatchObject({ href });
	});

	test.each([
		...['', undefined, {}, ['https://files.example/a.mp4'], 7, 'file:///etc/passwd'],
		...['javascript:alert(1)', '//files.example/a.mp4', 'files.example/a.mp4', 'http://'],
		...['https://ada@files.example/a.mp4', 'https://:secret@files.example/a.mp4'],
		'data:https://files.example/a.mp4',
	])('is not %j', (value) => {
		expect(parseVideoAddress(value)).toBeUndefined();
	});

	test('is shown without the query, which may be as good as a key', () => {
		expect(hideQuery(new URL('https://files.example:8443/a/b.mp4?signature=c#d'))).toBe(
			'https://files.example:8443/a/b.mp4',
		);
	});
});
