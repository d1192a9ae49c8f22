import type { AccountRequests } from '../../../nodes/VideoGeneration/waiting/accountVideos';
import { AccountVideos, ListReads } from '../../../nodes/VideoGeneration/waiting/accountVideos';

/** Requests for a list, whose responses take these times. */
const createRequests = (takeMs: () => number) => ({
	fetchList: async () => {
		const respondedAt = performance.now();
		await new Promise((resolve) => setTimeout(resolve, takeMs()));
		return { entries: [], respondedAt };
	},
	fetchProgress: async () => await Promise.resolve({ details: {} }),
	signal: new AbortController().signal,
});

/** Reads a list three times in a row. @returns how far apart it was requested */
async function readThrice(requests: AccountRequests): Promise<number[]> {
	const requestedAt: number[] = [];
	const list = new ListReads(async (_entries, at) => {
		await Promise.resolve(requestedAt.push(at));
	});
	const reads = (async () => {
		for (let i = 0; i < 3; i += 1) await list.read(requests);
	})();
	await jest.runAllTimersAsync();
	await reads;
	return requestedAt.slice(1).map((at, index) => at - (requestedAt[index] ?? 0));
}

describe('The list of videos', () => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => jest.useRealTimers());

	test.each([
		['is read a second after the last time at the soonest', [1, 1, 1], [1_000, 1_000]],
		['that takes 2 s each time is read every 100 s', [2_000, 2_000, 2_000], [100_000, 100_000]],
		[
			'is not rested from for minutes because one response came late',
			[100, 10_000, 100],
			[5_000, 10_020],
		],
	])('%s', async (_, responseMs, expected) => {
		expect(await readThrice(createRequests(() => responseMs.shift() ?? 0))).toEqual(expected);
	});

	test('is rested from for its receiving and parsing alone, however slow the service is', async () => {
		const requests = createRequests(() => 100);
		const fetchList = async () => {
			await new Promise((resolve) => setTimeout(resolve, 3_000));
			return await requests.fetchList();
		};
		expect(await readThrice({ ...requests, fetchList })).toEqual([5_000, 5_000]);
	});

	test('that takes 10 s holds up nobody who only wants it to be recent', async () => {
		let reads = 0;
		const list = new ListReads(() => Promise.resolve());
		const requests = createRequests(() => {
			reads += 1;
			return 10_000;
		});
		// Its 500 s of rest are over with the seventh call.
		for (let i = 0; i < 7; i += 1) {
			const work = list.refresh(requests);
			await jest.advanceTimersByTimeAsync(11_000);
			await work;
			await jest.advanceTimersByTimeAsync(89_000);
		}
		expect(reads).toBe(2);
	});

	test('tells how many entries may be the video of an item, and from when to when they are dated', async () => {
		const minutes = ['05', undefined, '00', '01'];
		const dates = minutes.map((minute) => minute && `2026-01-15T12:${minute}:00Z`);
		const entries = dates.map((createdAt, id) => ({ id, projectId: 'p', createdAt }));
		const fetchList = async () =>
			await Promise.resolve({ entries, respondedAt: performance.now() });
		const videos = new AccountVideos([]);
		const item = videos.track({ queueId: 'q', projectId: 'p', sentAt: performance.now() });
		const own = videos.claim(item, { ...createRequests(() => 0), fetchList });
		await jest.runAllTimersAsync();
		const [to, , from] = dates;
		expect(await own).toEqual({ unidentified: { count: 4, projectId: 'p', from, to } });
	});
});
