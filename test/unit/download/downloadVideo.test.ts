import { Readable } from 'node:stream';
import type { IBinaryData } from 'n8n-workflow';
import type {
	DownloadContext,
	VideoDownload,
} from '../../../nodes/VideoGeneration/download/downloadVideo';
import { downloadVideo } from '../../../nodes/VideoGeneration/download/downloadVideo';
import { readVideoFile } from '../../../sandbox/files/readVideoFile';

const VIDEO = readVideoFile('city-tour');
const FILE: IBinaryData = { data: '', mimeType: 'video/mp4' };
const SECOND = 1000;
const HOUR = 3600 * SECOND;

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

	end(): void {
		this.body.push(null);
	}
}

/** Starts a download. @returns its file or its error, once it has ended */
function start(host: Host, retries: Partial<VideoDownload['retries']> = {}) {
	const outcome: { file?: IBinaryData; error?: unknown } = {};
	void downloadVideo(host.context, {
		address: 'https://files.example/a.mp4',
		addressField: 'url',
		retries: { maxTries: 1, ...retries },
		settings: { timeout: 60 * SECOND },
	}).then(
		(file) => (outcome.file = file),
		(error: unknown) => (outcome.error = error),
	);
	return outcome;
}

const pass = async (ms: number) => {
	await jest.advanceTimersByTimeAsync(ms);
	for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
};

beforeEach(() => {
	jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
});
afterEach(() => {
	jest.useRealTimers();
});

describe('A download', () => {
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
			facts: { httpCode: 'ETIMEDOUT', receivedBytes: 1000, address: 'https://files.example/a.mp4' },
		});
		expect(outcome.error).not.toHaveProperty('facts.found');
		expect(host.body.destroyed).toBe(true);
	});

	test('goes on while something arrives now and then', async () => {
		const host = new Host();
		const outcome = start(host);
		for (let at = 0; at < 6000; at += 100) {
			host.send(at, at + 100);
			await pass(50 * SECOND);
		}
		expect(outcome).toEqual({});
		host.send(6000, VIDEO.length);
		host.end();
		await pass(0);
		expect(outcome).toEqual({ file: { bytes: VIDEO.length, ...FILE } });
	});

	test("does not end because n8n's store is slow", async () => {
		const host = new Host();
		let endStoring: () => void = () => undefined;
		host.storing = new Promise((resolve) => {
			endStoring = resolve;
		});
		const outcome = start(host);
		host.send(0, VIDEO.length);
		host.end();
		await pass(10 * 60 * SECOND);
		expect(outcome).toEqual({});
		endStoring();
		await pass(0);
		expect(outcome).toEqual({ file: { bytes: VIDEO.length, ...FILE } });
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
			facts: { httpCode: 'ETIMEDOUT', isTooSlow: true, receivedBytes: 2900, tries: 1 },
		});
		expect(host.requests).toBe(1);
	});

	test("ends at its deadline while n8n's store is still at work", async () => {
		const host = new Host();
		host.storing = new Promise(() => undefined);
		const outcome = start(host, { deadline: performance.now() + 30 * SECOND });
		host.send(0, VIDEO.length);
		host.end();
		await pass(29 * SECOND);
		expect(outcome).toEqual({});
		await pass(2 * SECOND);
		expect(outcome.error).toMatchObject({ facts: { isTooSlow: true } });
	});

	test('is not begun after its deadline', async () => {
		const host = new Host();
		const outcome = start(host, { deadline: performance.now() });
		await pass(0);
		expect(outcome.error).toMatchObject({ facts: { isTooSlow: true } });
		expect(host.requests).toBe(0);
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
		expect(outcome.error).toMatchObject({ facts: { isTooSlow: true } });
	});

	test('leaves no timer behind', async () => {
		const host = new Host();
		const outcome = start(host);
		host.send(0, VIDEO.length);
		host.end();
		await pass(0);
		expect(outcome).toEqual({ file: { bytes: VIDEO.length, ...FILE } });
		await pass(SECOND);
		expect(jest.getTimerCount()).toBe(0);
	});
});
