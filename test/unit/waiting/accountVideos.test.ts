import { ListReads } from '../../../nodes/VideoGeneration/waiting/accountVideos';

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

/** Reads a list again and again, whose responses take these times. @returns how far apart they were requested */
async function readRepeatedly(...responseMs: number[]): Promise<number[]> {
	const requestedAt: number[] = [];
	const list = new ListReads(async (_entries, at) => {
		await Promise.resolve(requestedAt.push(at));
	});
	const requests = createRequests(() => responseMs.shift() ?? 0);
	const reads = (async () => {
		while (responseMs.length > 0) await list.read(requests);
	})();
	await jest.runAllTimersAsync();
	await reads;
	return requestedAt.slice(1).map((at, index) => at - (requestedAt[index] ?? 0));
}

describe('The list of videos', () => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => jest.useRealTimers());

	test('is rested from for its receiving and parsing alone, however slow the service is', async () => {
		const requestedAt: number[] = [];
		const list = new ListReads(async (_entries, at) => {
			await Promise.resolve(requestedAt.push(at));
		});
		const parsed = createRequests(() => 100);
		const fetchList = async () => {
			await new Promise((resolve) => setTimeout(resolve, 3_000));
			return await parsed.fetchList();
		};
		const requests = { ...parsed, fetchList };
		const reads = (async () => {
			for (let i = 0; i < 3; i += 1) await list.read(requests);
		})();
		await jest.runAllTimersAsync();
		await reads;
		const [first = 0, second = 0, third = 0] = requestedAt;
		expect([second - first, third - second]).toEqual([5_000, 5_000]);
	});

	test('is read a second after the last time at the soonest', async () => {
		expect(await readRepeatedly(1, 1, 1)).toEqual([1_000, 1_000]);
	});

	test('that takes 2 s each time is read every 100 s', async () => {
		expect(await readRepeatedly(2_000, 2_000, 2_000)).toEqual([100_000, 100_000]);
	});

	test('that takes 10 s holds up nobody who only wants it to be recent', async () => {
		let reads = 0;
		const list = new ListReads(() => Promise.resolve());
		const requests = createRequests(() => {
			reads += 1;
			return 10_000;
		});
		const refresh = async () => {
			const work = list.refresh(requests);
			await jest.advanceTimersByTimeAsync(11_000);
			await work;
			await jest.advanceTimersByTimeAsync(89_000);
		};
		// Its 500 s of rest are over with the seventh call.
		for (let i = 0; i < 7; i += 1) await refresh();
		expect(reads).toBe(2);
	});

	test('is not rested from for minutes because one response came late', async () => {
		expect(await readRepeatedly(100, 10_000, 100)).toEqual([5_000, 10_020]);
	});
});
