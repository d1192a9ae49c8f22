import { waitForRetry } from '../../../nodes/VideoGeneration/request/waitForRetry';

describe('The wait between two tries', () => {
	beforeEach(() => {
		jest.useFakeTimers();
	});

	afterEach(() => {
		jest.useRealTimers();
	});

	test('lasts as long as it is told', async () => {
		let isOver = false;
		void waitForRetry(1000, [new AbortController().signal, undefined]).then(() => {
			isOver = true;
		});
		await jest.advanceTimersByTimeAsync(999);
		expect(isOver).toBe(false);
		await jest.advanceTimersByTimeAsync(1);
		expect(isOver).toBe(true);
	});

	test('ends at once when any of its signals says so', async () => {
		const stop = new AbortController();
		const wait = waitForRetry(100_000, [new AbortController().signal, stop.signal]);
		stop.abort();
		await expect(wait).rejects.toMatchObject({ kind: 'cancelled' });
		expect(jest.getTimerCount()).toBe(0);
	});

	test('does not begin when a signal has said so before', async () => {
		await expect(waitForRetry(100_000, [AbortSignal.abort()])).rejects.toMatchObject({
			kind: 'cancelled',
		});
	});
});
