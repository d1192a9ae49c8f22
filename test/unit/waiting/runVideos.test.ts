import type { IDataObject } from 'n8n-workflow';
import { pause } from '../../../nodes/VideoGeneration/api/pacing';
import { RequestFailure } from '../../../nodes/VideoGeneration/failures/failure';
import type { AccountRequests } from '../../../nodes/VideoGeneration/waiting/accountRequests';
import type { TrackedItem } from '../../../nodes/VideoGeneration/waiting/runVideos';
import { AccountVideos, getAccountVideos } from '../../../nodes/VideoGeneration/waiting/runVideos';
import { waitForVideo } from '../../../nodes/VideoGeneration/waiting/waitForVideo';

beforeEach(() => jest.useFakeTimers());
afterEach(() => {
	jest.useRealTimers();
});

const createLog = (entries: unknown[], etag?: string) => ({
	...{ entries, etag, isUnchanged: false },
});
const createRequests = (more: Partial<AccountRequests> = {}): AccountRequests => ({
	fetchLog: jest.fn(async () => await Promise.resolve(createLog([]))),
	fetchProgress: async () => await Promise.resolve({ status: 'processing' }),
	signal: new AbortController().signal,
	...more,
});
const never = async () => await new Promise<never>(() => undefined);
const pass = async (ms: number) => {
	await jest.advanceTimersByTimeAsync(ms);
};

/** An item whose add was sent now, and that was finished at once. */
function trackFinished(account: AccountVideos, queueId: string, projectId = 'p') {
	const item = account.track({ queueId, projectId, runningTick: account.tick() });
	account.noteEnded(item, false);
	return item;
}

describe('The videos of a run', () => {
	test('are those of its account', () => {
		const run = {};
		expect(getAccountVideos(run, 'a')).toBe(getAccountVideos(run, 'a'));
		expect(getAccountVideos(run, 'b')).not.toBe(getAccountVideos(run, 'a'));
		expect(getAccountVideos({}, 'a')).not.toBe(getAccountVideos(run, 'a'));
	});

	test('share what is known of a queue item', () => {
		const account = new AccountVideos();
		const item = account.track({ queueId: 'q', runningTick: 1 });
		expect(account.track({ queueId: 'q', projectId: 'p' })).toBe(item);
		expect(item).toMatchObject({ projectId: 'p', runningTick: 1 });
	});

	test('that were finished are not settled by a read that was asked for before the listing delay was over', async () => {
		const account = new AccountVideos();
		const requests = createRequests();
		const item = Object.assign(trackFinished(account, 'q'), { listingDelayMs: 5_000 });
		for (const [afterMs, isSettled] of [
			[4_000, false],
			[1_000, true],
		] as const) {
			await pass(afterMs - 20);
			const reading = account.fetchLog(requests);
			await pass(20);
			await reading;
			expect(item.settledTick !== undefined).toBe(isSettled);
		}
	});

	test('of one of its items that is found running again are given to no item any more', async () => {
		const account = new AccountVideos();
		const [first, second] = ['a', 'b'].map((queueId) => ({ id: queueId, projectId: 'p' }));
		const requests = createRequests({
			fetchLog: async () => await Promise.resolve(createLog([first])),
		});
		const item = trackFinished(account, 'q');
		const read = async () => {
			const reading = account.fetchLog(requests);
			await pass(1_000);
			await reading;
		};
		await read();
		expect(item.video?.entry).toBe(first);
		account.noteRunning(item, account.tick());
		expect(item).toMatchObject({ video: undefined, settledTick: undefined });
		const other = trackFinished(account, 'r');
		requests.fetchLog = async () => await Promise.resolve(createLog([first, second]));
		await read();
		expect(other.video).toBeUndefined();
		expect(account.isAssumptionBroken).toBe(true);
	});

	test('of an item that had left the queue and is finished all the same are settled anew', async () => {
		const account = new AccountVideos();
		const entries = [{ id: 'foreign', projectId: 'p' }];
		const requests = createRequests({
			fetchLog: async () => await Promise.resolve(createLog(entries)),
		});
		const read = async () => {
			const reading = account.fetchLog(requests);
			await pass(1_000);
			await reading;
		};
		const item = account.track({ queueId: 'q', projectId: 'p', runningTick: account.tick() });
		item.listingDelayMs = 5_000;
		account.noteEnded(item, true);
		await pass(5_000);
		await read();
		account.noteEnded(item, false);
		await read();
		expect(item.video).toBeUndefined();
		entries.push({ id: 'own', projectId: 'p' });
		await pass(5_000);
		await read();
		expect(
			account
				.getCandidates(item)
				.list.map(({ entry }) => entry.id)
				.sort(),
		).toEqual([...['foreign', 'own']]);
		expect(account.isAssumptionBroken).toBe(false);
	});

	test('with the same address are given to no item that knows its address', async () => {
		const account = new AccountVideos();
		const url = 'https://x.example/a.mp4';
		const entries = ['v', 'w'].map((id) => ({ id, projectId: 'p', url }));
		const requests = createRequests({
			fetchLog: async () => await Promise.resolve(createLog(entries)),
		});
		const item = Object.assign(account.track({ queueId: 'q', projectId: 'p' }), { videoUrl: url });
		const reading = account.fetchLog(requests);
		await pass(1_000);
		await reading;
		account.assignByAddress(item);
		expect(item.video).toBeUndefined();
	});

	test('stay candidates when their entries vanish, and are not new when they return', async () => {
		const account = new AccountVideos();
		const old = { id: 'old', projectId: 'p' };
		let entries: IDataObject[] = [old];
		const requests = createRequests({
			fetchLog: async () => await Promise.resolve(createLog(entries)),
		});
		const read = async () => {
			const reading = account.fetchLog(requests);
			await pass(1_000);
			await reading;
		};
		await read();
		entries = [];
		await read();
		const item = trackFinished(account, 'q');
		entries = [old, { id: 'own', projectId: 'p' }];
		await read();
		expect(item.video?.entry.id).toBe('own');
	});
});

describe('An item with two candidates', () => {
	const begin = async (sibling: Partial<TrackedItem>) => {
		const account = new AccountVideos();
		const entries = ['v', 'w'].map((id) => ({ id, projectId: 'p' }));
		const stop = new AbortController();
		const requests = createRequests({
			fetchLog: async () => await Promise.resolve(createLog(entries)),
			signal: stop.signal,
		});
		const item = trackFinished(account, 'q');
		Object.assign(account.track({ queueId: 'r', runningTick: account.tick() }), sibling);
		const reading = account.fetchLog(requests);
		await pass(1_000);
		await reading;
		expect(account.getCandidates(item).count).toBe(2);
		const outcome: { isOpen?: boolean; error?: unknown } = {};
		void account.waitForDecision(item, stop.signal).then(
			(isOpen) => (outcome.isOpen = isOpen),
			(error: unknown) => (outcome.error = error),
		);
		await pass(0);
		return { outcome, stop };
	};

	test.each([
		['a running sibling', { projectId: 'p', waits: 1 }, true],
		['a running item of an unknown project', { waits: 1 }, true],
		['one of another project', { projectId: 'q', waits: 1 }, false],
		['one that is waited for no longer', { projectId: 'p' }, false],
		['one that knows its address', { waits: 1, videoUrl: 'https://x.example/a.mp4' }, false],
	])('waits for %s: %j', async (_, sibling, isWaiting) => {
		const { outcome } = await begin(sibling);
		expect(outcome).toEqual(isWaiting ? {} : { isOpen: false });
		await pass(1_000);
		expect(outcome).toEqual({ isOpen: isWaiting });
	});

	test('waits no longer once the execution is stopped', async () => {
		const { outcome, stop } = await begin({ waits: 1 });
		stop.abort();
		await pass(0);
		expect(outcome.error).toMatchObject({ kind: 'cancelled' });
	});
});

test('An item that left the queue and is found running again is still being made at its timeout', async () => {
	const account = new AccountVideos();
	const lost = new RequestFailure({ kind: 'rejected', httpCode: '404' });
	const answers = [lost, lost, lost];
	const requests = createRequests({
		fetchProgress: async () => {
			const answer = answers.shift();
			return await (answer ? Promise.reject(answer) : Promise.resolve({ status: 'processing' }));
		},
	});
	const item = account.track({ queueId: 'q', projectId: 'p', runningTick: account.tick() });
	const words = { completed: new Set(['completed']), failed: new Set(['failed']) };
	const waiting = waitForVideo({
		...{ videos: account, item, queueId: 'q', details: {}, words, maxTries: 4, requests },
		...{ intervalMs: 1_000, timeoutMs: 60_000, listingDelayMs: 0 },
	});
	const failed = expect(waiting).rejects.toMatchObject({
		facts: { kind: 'timedOut', hasLeftQueue: false },
	});
	await pass(61_000);
	await failed;
	expect(answers).toEqual([]);
});

test('An item whose entry is shown while a look at it is under way is given it', async () => {
	const account = new AccountVideos();
	const statuses = ['processing', 'completed'];
	const requests = createRequests({
		fetchLog: async () => await Promise.resolve(createLog([{ id: 'own', projectId: 'p' }])),
		fetchProgress: async () => {
			const status = statuses.shift() ?? 'completed';
			await new Promise((resolve) => setTimeout(resolve, 3_000));
			return { status };
		},
	});
	const item = account.track({ queueId: 'q', projectId: 'p', runningTick: account.tick() });
	const words = { completed: new Set(['completed']), failed: new Set(['failed']) };
	const waiting = waitForVideo({
		...{ videos: account, item, queueId: 'q', details: {}, words, maxTries: 4, requests },
		...{ intervalMs: 1_000, timeoutMs: 60_000, listingDelayMs: 0 },
	});
	// The log is read before the first look, too: without a response, nothing is shown by then.
	const { fetchLog } = requests;
	requests.fetchLog = async () => await Promise.reject(new RequestFailure({ kind: 'uncertain' }));
	await pass(2_000);
	requests.fetchLog = fetchLog;
	await Promise.all([account.fetchLog(requests), pass(1_100)]);
	await pass(60_000);
	expect((await waiting).video).toMatchObject({ id: 'own' });
});

test('An address that the progress has told is kept when an earlier look of another wait is answered late', async () => {
	const videoUrl = 'https://files.example.com/own.mp4';
	const account = new AccountVideos();
	let answer: (details: IDataObject) => void = () => undefined;
	const late = new Promise<IDataObject>((resolve) => (answer = resolve));
	const looks: Promise<IDataObject>[] = [
		late,
		Promise.resolve({ status: 'completed', videoUrl }),
		Promise.resolve({ status: 'completed', videoUrl }),
	];
	const requests = createRequests({
		fetchProgress: async () => await (looks.shift() ?? never()),
		// The first wait reads the log while the late response arrives.
		fetchLog: async () => {
			if (looks.length === 1) answer({ status: 'processing' });
			await pause(1_000, requests.signal);
			return createLog([]);
		},
	});
	const wait = async () =>
		await waitForVideo({
			...{ videos: account, item: account.track({ queueId: 'q', projectId: 'p' }), queueId: 'q' },
			...{ intervalMs: 10_000, timeoutMs: 60_000, listingDelayMs: 0, maxTries: 4, requests },
			words: { completed: new Set(['completed']), failed: new Set<string>() },
		});
	const waits = Promise.all([wait(), wait()]);
	await pass(60_000);
	expect((await waits).map((output) => output.videoUrl)).toEqual([videoUrl, videoUrl]);
});

test('An entry without an ID whose address is signed anew at each read is the same one', async () => {
	const account = new AccountVideos();
	let reads = 0;
	const fetchLog = async () => {
		reads += 1;
		const url = `https://files.example.com/old.mp4?signature=${reads}`;
		return await Promise.resolve(createLog([{ projectId: 'p', url, createdAt: 'x' }]));
	};
	const requests = createRequests({ fetchLog });
	const read = async () => {
		const reading = account.fetchLog(requests);
		await pass(2_000);
		await reading;
	};
	await read();
	const item = account.track({ queueId: 'q', projectId: 'p', runningTick: account.tick() });
	await read();
	expect(account.hasCandidates(item)).toBe(false);
});

describe('Reads of the log', () => {
	test('are shared by items that ask at nearly the same time', async () => {
		const account = new AccountVideos();
		const requests = createRequests();
		const reads = [true, false, true].map(async (isConditional) => {
			await account.fetchLog(requests, isConditional);
		});
		await pass(1_000);
		await Promise.all(reads);
		expect(requests.fetchLog).toHaveBeenCalledTimes(1);
	});

	test('are conditional, unless an item needs the whole log', async () => {
		const account = new AccountVideos();
		const fetchLog = jest.fn(async () => await Promise.resolve(createLog([], '"tag"')));
		const requests = createRequests({ fetchLog });
		for (const isConditional of [true, true, false]) {
			void account.fetchLog(requests, true);
			const reading = account.fetchLog(requests, isConditional);
			await pass(1_000);
			await reading;
		}
		const tags = (fetchLog.mock.calls as unknown[][]).map(([etag]) => etag);
		expect(tags).toEqual([undefined, '"tag"', undefined]);
	});

	test('before the first look at an item that was added elsewhere get the whole log, though its tag is known', async () => {
		const account = new AccountVideos();
		const fetchLog = jest.fn(async () => await Promise.resolve(createLog([], '"tag"')));
		const requests = createRequests({ fetchLog });
		for (const isFirst of [true, false, true]) {
			const reading = account.fetchLogBeforeCheck(requests, isFirst);
			await pass(2_000);
			await reading;
		}
		const tags = (fetchLog.mock.calls as unknown[][]).map(([etag]) => etag);
		expect(tags).toEqual([undefined, '"tag"', undefined]);
	});

	test('before the first add take 30 seconds at most, and happen once in a try of the node', async () => {
		const account = new AccountVideos();
		const fetchLog = jest.fn(never);
		const requests = createRequests({ fetchLog });
		let isOver = false;
		const reading = account.fetchLogBeforeAdd(requests).then(() => {
			isOver = true;
		});
		await pass(29_000);
		expect(isOver).toBe(false);
		await pass(1_100);
		await reading;
		await account.fetchLogBeforeAdd(requests);
		expect(fetchLog).toHaveBeenCalledTimes(1);
	});

	test('end at once when the execution is stopped', async () => {
		const account = new AccountVideos();
		const stop = new AbortController();
		const requests = createRequests({ fetchLog: never, signal: stop.signal });
		const reading = account.fetchLogBeforeAdd(requests);
		const failed = expect(reading).rejects.toMatchObject({ kind: 'cancelled' });
		await pass(100);
		stop.abort();
		await failed;
		expect(jest.getTimerCount()).toBe(0);
	});

	test('of a try that has ended do not fail the next one', async () => {
		const account = new AccountVideos();
		const stop = new AbortController();
		const first = account.fetchLog(createRequests({ fetchLog: never, signal: stop.signal }));
		const failed = expect(first).rejects.toMatchObject({ kind: 'cancelled' });
		const requests = createRequests();
		const second = account.fetchLog(requests);
		stop.abort();
		await failed;
		await pass(1_100);
		await second;
		expect(requests.fetchLog).toHaveBeenCalledTimes(1);
	});

	test('are not sent before the time that the service asks for', async () => {
		const account = new AccountVideos();
		const fetchLog = jest.fn(async () => {
			return await Promise.reject(new RequestFailure({ kind: 'rateLimited', retryAfterMs: 7_000 }));
		});
		const requests = createRequests({ fetchLog });
		for (const [afterMs, sent] of [
			[0, 1],
			[3_000, 1],
			[5_000, 2],
		] as const) {
			await pass(afterMs);
			const failed = expect(account.fetchLog(requests)).rejects.toMatchObject({
				kind: 'rateLimited',
			});
			await pass(1_000);
			await failed;
			expect(fetchLog).toHaveBeenCalledTimes(sent);
		}
	});
});
