import fc from 'fast-check';
import { onAbort, pause, Stopwatch } from '../../nodes/VideoGeneration/api/pause';
import { RequestFailure } from '../../nodes/VideoGeneration/failures/failure';
import type { AccountRequests } from '../../nodes/VideoGeneration/waiting/accountVideos';
import { AccountVideos } from '../../nodes/VideoGeneration/waiting/accountVideos';
import {
	DEFAULT_COMPLETED_STATUSES,
	DEFAULT_FAILED_STATUSES,
	getStatus,
	getVerdict,
	parseStatusWords,
} from '../../nodes/VideoGeneration/waiting/status';
import type {
	LoggedVideo,
	QueuedVideo,
	VideoBatches,
} from '../../nodes/VideoGeneration/waiting/videoOwners';
import {
	addVideos,
	countCandidates,
	findRivals,
	findVideos,
	listCandidates,
	removeVideo,
} from '../../nodes/VideoGeneration/waiting/videoOwners';

const TOLERANCE_MS = 5_000;

const queued = (more: Partial<QueuedVideo> = {}): QueuedVideo => ({
	...{ projectId: 'p', createdAt: 10_000, runningAt: 0, isWanting: true },
	...more,
});
const logged = (id: string, more: Partial<LoggedVideo> = {}): LoggedVideo => ({
	...{ entry: { id }, key: id, projectId: 'p', createdAt: 15_000, seenAt: 1 },
	...more,
});

/**
 * Groups the entries as the responses of the log show them, in any order: an assigned entry may
 * return.
 */
function createBatches(videos: LoggedVideo[]): VideoBatches {
	const batches: VideoBatches = new Map();
	for (const seenAt of new Set(videos.map((video) => video.seenAt))) {
		addVideos(
			batches,
			videos.filter((video) => video.seenAt === seenAt),
		);
	}
	return batches;
}

/** Returns the ID of each item's video, or the IDs of its candidates. */
function find(items: QueuedVideo[], videos: LoggedVideo[]) {
	const batches = createBatches(videos);
	const found = findVideos(items, batches);
	return items.map((item) => {
		const given = found.get(item)?.video;
		return given?.entry.id ?? listCandidates(item, batches).map(({ entry }) => entry.id);
	});
}

describe('An entry of the video log', () => {
	test.each([
		['of another project', {}, { projectId: 'q' }, false],
		['of any project, for an item without one', { projectId: undefined }, { projectId: 'q' }, true],
		['5 s older than the item', { createdAt: 20_000 }, { createdAt: 15_000 }, true],
		['more than 5 s older', { createdAt: 20_001 }, { createdAt: 15_000 }, false],
		['without a readable date', { createdAt: 9e9 }, { createdAt: Infinity }, true],
		['of any age, for an item without a date', { createdAt: undefined }, { createdAt: 1 }, true],
		['that was there while the item ran', { runningAt: 1 }, { seenAt: 1 }, false],
		['that came after it was last seen running', { runningAt: 1 }, { seenAt: 2 }, true],
		['that came after all was seen that it can own', { closedAt: 1 }, { seenAt: 2 }, false],
	])('%s: can it be the item’s?', (_what, item, video, expected) => {
		expect(find([queued(item)], [logged('a', video)])).toEqual([expected ? 'a' : []]);
	});
});

describe('A finished item', () => {
	test('is given the only entry that can be its own', () => {
		const videos = [logged('a'), logged('b', { projectId: 'q' }), logged('c', { createdAt: 1 })];
		expect(find([queued()], videos)).toEqual(['a']);
	});

	test('is given nothing when two can be, or none', () => {
		expect(find([queued()], [logged('a'), logged('b')])[0]).toHaveLength(2);
		expect(find([queued()], [])).toEqual([[]]);
	});

	test.each([
		['another finished one', {}],
		['one that is running', { isWanting: false }],
		['one without a project', { projectId: undefined, isWanting: false }],
		['an add of unknown fate, without a date', { createdAt: undefined, isWanting: false }],
	])('is given nothing that %s can own as well', (_which, other) => {
		expect(find([queued(), queued(other)], [logged('a')])[0]).toEqual(['a']);
	});

	test.each([
		['of another project', { projectId: 'q' }],
		['that was seen running after the entry came', { runningAt: 1 }],
		['that is younger', { createdAt: 20_001 }],
		['whose wait was over before the entry came', { closedAt: 0 }],
	])('is given what another one cannot own: one %s', (_which, other) => {
		expect(find([queued(), queued({ isWanting: false, ...other })], [logged('a')])[0]).toBe('a');
	});

	test.each([
		['never seen running', { runningAt: undefined }],
		['that left the queue', { hasLeft: true }],
	])('%s is given nothing, though there is only one', (_which, item) => {
		expect(find([queued(item)], [logged('a')])).toEqual([['a']]);
	});

	test('lists those entries first that are nearest to its finish, or else the newest', () => {
		const videos = [1, 2, 3, 4].map((s) => logged(String(s), { createdAt: 20_000 + s * 1000 }));
		expect(find([queued({ finishedAt: 22_900 })], videos)).toEqual([['3', '2', '4', '1']]);
		expect(find([queued()], videos)).toEqual([['4', '3', '2', '1']]);
	});

	test('lists 100 candidates of 600, and counts all', () => {
		const items = Array.from({ length: 600 }, () => queued({ finishedAt: 300_000 }));
		const videos = Array.from({ length: 600 }, (_, i) =>
			logged(String(i), { createdAt: 10_000 + i * 1000 }),
		);
		const batches = createBatches(videos);
		for (const [item, { video }] of findVideos(items, batches)) {
			expect(video).toBeUndefined();
			expect(countCandidates(item, batches)).toBe(600);
			const listed = listCandidates(item, batches);
			expect(listed).toHaveLength(100);
			expect(listed[0]?.createdAt).toBe(300_000);
		}
	});

	test.each([
		['2,000 items of one project', 2_000, 2_000, 'p'],
		['50 items without a project beside 100,000 entries', 50, 100_000, undefined],
	])('is found in a moment: %s', (_what, itemCount, videoCount, projectId) => {
		const items = Array.from({ length: itemCount }, (_, i) =>
			queued({ projectId, createdAt: projectId === undefined ? undefined : 10_000 + i * 30_000 }),
		);
		const videos = Array.from({ length: videoCount }, (_, i) =>
			logged(String(i), { createdAt: 25_000 + i * 30_000 }),
		);
		const batches = createBatches(videos.reverse());
		const before = process.cpuUsage();
		expect(findVideos(items, batches).size).toBe(itemCount);
		expect(process.cpuUsage(before).user / 1000).toBeLessThan(1_000);
	});
});

describe('For any items and entries', () => {
	const time = fc.integer({ min: 1, max: 5 }).map((n) => n * 3_000);
	const tick = fc.integer({ min: 0, max: 3 });
	const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
	const items = fc.array(
		fc.record({
			projectId: maybe(fc.constantFrom('p', 'q')),
			createdAt: maybe(time),
			runningAt: maybe(tick),
			closedAt: maybe(tick),
			finishedAt: maybe(time),
			isWanting: fc.boolean(),
			hasLeft: fc.boolean(),
		}),
		{ minLength: 1, maxLength: 5 },
	);
	const videos = fc.array(
		fc.record({
			projectId: fc.constantFrom('p', 'q'),
			createdAt: fc.oneof(time, fc.constant(Infinity)),
			seenAt: fc.integer({ min: 1, max: 4 }),
			isOwned: fc.boolean(),
		}),
		{ maxLength: 5 },
	);

	/** States the rule directly, for one item and one entry. */
	const canOwn = (item: QueuedVideo, video: LoggedVideo) =>
		(item.projectId === undefined || item.projectId === video.projectId) &&
		(item.runningAt === undefined || video.seenAt > item.runningAt) &&
		(item.closedAt === undefined || video.seenAt <= item.closedAt) &&
		(item.createdAt === undefined || video.createdAt >= item.createdAt - TOLERANCE_MS);

	test('an item is given a video exactly when it is its only candidate and no other item’s', () => {
		fc.assert(
			fc.property(items, videos, (generatedItems, generatedVideos) => {
				const all: QueuedVideo[] = generatedItems;
				const shown = generatedVideos.map((video, i) => ({
					...video,
					entry: { id: String(i) },
					key: String(i),
				}));
				const batches = createBatches(shown);
				for (const video of shown) if (video.isOwned) removeVideo(batches, video);
				const free = shown.filter(({ isOwned }) => !isOwned);
				const found = findVideos(all, batches);

				const possible = new Map(
					all.map((item) => [item, free.filter((video) => canOwn(item, video))]),
				);
				const listOwn = (item: QueuedVideo) => possible.get(item) ?? [];
				expect([...found.keys()]).toEqual(all.filter(({ isWanting }) => isWanting));
				expect(findRivals(all, batches)).toEqual(
					all.filter((item) => !item.isWanting && listOwn(item).length > 0),
				);
				for (const [item, { video, isComplete }] of found) {
					const own = listOwn(item);
					const others = all.filter((other) => other !== item);
					const isGiven =
						own.length === 1 &&
						item.runningAt !== undefined &&
						item.hasLeft !== true &&
						!others.some((other) => own.some((each) => listOwn(other).includes(each)));
					expect(video).toBe(isGiven ? own[0] : undefined);
					const listed = listCandidates(item, batches);
					expect(new Set(listed)).toEqual(new Set(own));
					expect(listed).toHaveLength(own.length);
					expect(countCandidates(item, batches)).toBe(own.length);
					const owners = all.filter(
						(other) =>
							(other.isWanting || listOwn(other).length > 0) &&
							(item.projectId === undefined ||
								other.projectId === undefined ||
								other.projectId === item.projectId),
					);
					expect(isComplete).toBe(own.length >= owners.length);
				}
				const given = [...found.values()].flatMap(({ video }) => video ?? []);
				expect(new Set(given).size).toBe(given.length);
			}),
			{ numRuns: 2_000 },
		);
	});
});

describe('The queue items of an account', () => {
	const signal = new AbortController().signal;
	const createLog = (entries: unknown[]) => ({
		entries,
		etag: undefined,
		createTag: () => undefined,
		isUnchanged: false,
	});
	const createRequests = (more: Partial<AccountRequests> = {}): AccountRequests => ({
		fetchLog: jest.fn(async () => await Promise.resolve(createLog([]))),
		fetchProgress: jest.fn(async () => await Promise.resolve({ status: 'processing' })),
		signal,
		...more,
	});

	afterEach(() => jest.useRealTimers());

	test('share one read of the log when they ask at nearly the same time', async () => {
		const account = new AccountVideos();
		const requests = createRequests();
		for (const queueId of ['a', 'b', 'c']) account.track({ queueId });
		await Promise.all(
			[1, 2, 3].map(async () => {
				await account.readLog(requests, 'later');
			}),
		);
		expect(requests.fetchLog).toHaveBeenCalledTimes(1);
	});

	test('get their read of the log when the item that asked first is stopped', async () => {
		jest.useFakeTimers();
		const account = new AccountVideos();
		for (const queueId of ['a', 'b']) account.track({ queueId });
		const stop = new AbortController();
		const cancelled = new RequestFailure('cancelled');
		const fetchLog = jest.fn(async () => await Promise.reject(cancelled));
		const first = account.readLog(createRequests({ fetchLog, signal: stop.signal }), 'deciding');
		const requests = createRequests();
		const second = account.readLog(requests, 'deciding');
		stop.abort();
		await expect(first).rejects.toBe(cancelled);
		await jest.advanceTimersByTimeAsync(1_000);
		await second;
		expect(requests.fetchLog).toHaveBeenCalledTimes(1);
	});

	test('have no candidates that the log no longer shows, 100,000 of them', async () => {
		const account = new AccountVideos();
		const item = Object.assign(account.track({ queueId: 'a' }), { isWanting: true });
		const entries = Array.from({ length: 100_000 }, (_, i) => ({
			id: `v${i}`,
			projectId: 'p',
			createdAt: new Date(1_700_000_000_000 - i * 1000).toISOString(),
		}));
		let shown = entries;
		const requests = createRequests({
			fetchLog: async () => await Promise.resolve(createLog(shown)),
		});
		await account.readLog(requests, 'deciding');
		expect(account.getCandidates(item).count).toBe(100_000);
		shown = entries.slice(0, 1);
		await account.readLog(requests, 'deciding');
		expect(account.getCandidates(item).list.map(({ entry }) => entry)).toEqual(shown);
	});

	test('are forgotten an hour after the last wait', async () => {
		jest.useFakeTimers();
		const account = new AccountVideos();
		account.release(account.track({ queueId: 'a', projectId: 'p', runningAt: account.tick() }));
		expect(account.isForgotten()).toBe(false);
		await jest.advanceTimersByTimeAsync(3_600_001);
		expect(account.isForgotten()).toBe(true);
	});

	test('that were given up own no video while they are seen running', async () => {
		const account = new AccountVideos();
		const entry = { id: 'v', projectId: 'p', createdAt: '2026-01-15T12:00:00Z' };
		const words = { completed: new Set(['done']), failed: new Set(['failed']) };
		const known = { projectId: 'p', runningAt: account.tick() };
		const givenUp = account.track({ ...known, queueId: 'given up' });
		givenUp.words = words;
		account.release(givenUp);
		const item = Object.assign(account.track({ ...known, queueId: 'own' }), { isWanting: true });
		const fetchLog = async () => await Promise.resolve(createLog([entry]));
		const finished = async () => await Promise.resolve({ status: 'done' });
		await account.readLog(createRequests({ fetchLog, fetchProgress: finished }), 'later');
		expect(item.video).toBeUndefined();
		await account.readLog(createRequests({ fetchLog }), 'later');
		expect(item.video?.entry).toEqual(entry);
	});
});

describe('The progress of a queue item', () => {
	const WORDS = {
		completed: parseStatusWords(DEFAULT_COMPLETED_STATUSES),
		failed: parseStatusWords(DEFAULT_FAILED_STATUSES),
	};

	test.each([
		[{ status: 'completed' }, 'finished'],
		[{ status: 'COMPLETED' }, 'finished'],
		[{ status: ' Done ' }, 'finished'],
		[{ status: 'success' }, 'finished'],
		[{ status: 'pending' }, 'running'],
		[{ status: 'a word nobody knows' }, 'running'],
		[{ status: '' }, 'running'],
		[{ status: null }, 'running'],
		[{ status: 5 }, 'running'],
		[{}, 'running'],
		[{ status: 'failed' }, 'failed'],
		[{ status: 'Error' }, 'failed'],
		[{ status: 'canceled' }, 'failed'],
		[{ status: 'rendering', videoUrl: 'https://x/v.mp4' }, 'finished'],
		[{ status: 'rendering', videoUrl: null }, 'running'],
		[{ status: 'rendering', videoUrl: ' ' }, 'running'],
		[{ status: 'failed', videoUrl: 'https://x/v.mp4' }, 'failed'],
		[{ status: 'rendering', generationProgress: 100, renderProgress: 100 }, 'running'],
	])('of %j is %s', (details, expected) => {
		expect(getVerdict(details, WORDS)).toBe(expected);
	});

	test('goes by the words of the user', () => {
		const words = {
			completed: parseStatusWords(' Im Kasten ,READY'),
			failed: parseStatusWords('verpatzt'),
		};
		expect(getVerdict({ status: 'im kasten' }, words)).toBe('finished');
		expect(getVerdict({ status: 'ready' }, words)).toBe('finished');
		expect(getVerdict({ status: 'Verpatzt' }, words)).toBe('failed');
		expect(getVerdict({ status: 'completed' }, words)).toBe('running');
	});

	test('needs an address when the user has left no word', () => {
		const words = { completed: parseStatusWords(' , '), failed: parseStatusWords('') };
		expect(getVerdict({ status: '' }, words)).toBe('running');
		expect(getVerdict({ status: '', videoUrl: 'https://x' }, words)).toBe('finished');
	});

	test.each([
		[{ status: 'rendering' }, 'rendering'],
		[{ status: 3 }, '3'],
		[{ status: null }, 'unknown'],
		[{}, 'unknown'],
	])('of %j is told as %s', (details, expected) => {
		expect(getStatus(details)).toBe(expected);
	});
});

describe('A pause', () => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => {
		jest.useRealTimers();
	});

	test.each([1_000, 2 ** 31 + 1_000, 5 * 2 ** 31])('of %d ms lasts as long', async (delayMs) => {
		let hasPassed: boolean | undefined;
		void pause(delayMs).then((result) => {
			hasPassed = result;
		});
		await jest.advanceTimersByTimeAsync(delayMs - 1);
		expect(hasPassed).toBeUndefined();
		await jest.advanceTimersByTimeAsync(1);
		expect(hasPassed).toBe(true);
	});

	test('ends at once when its signal is aborted, and leaves no timer', async () => {
		const stop = new AbortController();
		const waiting = pause(100_000, stop.signal);
		stop.abort();
		expect(await waiting).toBe(false);
		expect(jest.getTimerCount()).toBe(0);
		expect(await pause(100_000, stop.signal)).toBe(false);
	});

	test('shares one listener of its signal with all others, earlier ones as well', async () => {
		const { signal, ...stop } = createStop();
		const added = jest.spyOn(signal, 'addEventListener');
		const pauses = Array.from({ length: 1_000 }, async () => await pause(1_000, signal));
		await jest.advanceTimersByTimeAsync(1_000);
		expect(await Promise.all(pauses)).toEqual(pauses.map(() => true));
		const later = pause(1_000, signal);
		expect(added).toHaveBeenCalledTimes(1);
		stop.abort();
		expect(await later).toBe(false);
	});

	test('calls back nobody who stopped listening', () => {
		const { signal, ...stop } = createStop();
		const callback = jest.fn();
		onAbort(signal, callback)();
		stop.abort();
		expect(callback).not.toHaveBeenCalled();
	});

	test('is measured by a clock that does not follow the date, and keeps up with its timers', async () => {
		const clock = new Stopwatch();
		const startedAt = clock.now();
		const waiting = clock.pause(10_000);
		jest.setSystemTime(Date.now() - 3_600_000);
		await jest.advanceTimersByTimeAsync(10_000);
		expect(await waiting).toBe(true);
		expect(clock.now() - startedAt).toBe(10_000);
	});
});

function createStop() {
	const controller = new AbortController();
	return {
		signal: controller.signal,
		abort: () => {
			controller.abort();
		},
	};
}
