import { pause } from '../../../nodes/VideoGeneration/request/pause';

describe('The wait between two tries', () => {
	beforeEach(() => {
		jest.useFakeTimers();
	});

	afterEach(() => {
		jest.useRealTimers();
	});

	test('lasts as long as it is told', async () => {
		let hasPassed: boolean | undefined;
		void pause(1000, [new AbortController().signal, undefined]).then((result) => {
			hasPassed = result;
		});
		await jest.advanceTimersByTimeAsync(999);
		expect(hasPassed).toBeUndefined();
		await jest.advanceTimersByTimeAsync(1);
		expect(hasPassed).toBe(true);
	});

	test('ends at once when any of its signals says so', async () => {
		const stop = new AbortController();
		const wait = pause(100_000, [new AbortController().signal, stop.signal]);
		stop.abort();
		expect(await wait).toBe(false);
		expect(jest.getTimerCount()).toBe(0);
	});

	test('does not begin when a signal has said so before', async () => {
		expect(await pause(100_000, [AbortSignal.abort()])).toBe(false);
	});
});
