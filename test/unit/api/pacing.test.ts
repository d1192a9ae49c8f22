import { createSlots, pause } from '../../../nodes/VideoGeneration/api/pacing';
import { setImmediate } from 'node:timers/promises';

describe('A pause', () => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => {
		jest.useRealTimers();
	});

	test.each([1_000, 2 ** 31 - 1_000])('of %d ms lasts as long', async (delayMs) => {
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
		const stop = new AbortController();
		const added = jest.spyOn(stop.signal, 'addEventListener');
		const pauses = Array.from({ length: 1_000 }, async () => await pause(1_000, stop.signal));
		await jest.advanceTimersByTimeAsync(1_000);
		expect(await Promise.all(pauses)).toEqual(pauses.map(() => true));
		const later = pause(1_000, stop.signal);
		expect(added).toHaveBeenCalledTimes(1);
		stop.abort();
		expect(await later).toBe(false);
	});
});

describe('Slots', () => {
	it('do so much work at the same time, in its order, and go on after an error', async () => {
		const takeSlot = createSlots(3);
		const begun: number[] = [];
		let working = 0;
		let most = 0;
		const results = await Promise.allSettled(
			Array.from({ length: 30 }, async (_, index) => {
				await takeSlot(async () => {
					begun.push(index);
					working += 1;
					most = Math.max(most, working);
					await setImmediate();
					working -= 1;
					if (index === 4) throw new Error('one of them fails');
				});
			}),
		);
		expect(begun).toEqual([...begun.keys()]);
		expect(begun).toHaveLength(30);
		expect(most).toBe(3);
		expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
	});

	it('are given up by work whose signal is aborted while it waits, and go to the next', async () => {
		const takeSlot = createSlots(1);
		const stop = new AbortController();
		let end: () => void = () => undefined;
		const first = takeSlot(async () => {
			await new Promise<void>((resolve) => (end = resolve));
		});
		const second = takeSlot(() => 'second', stop.signal);
		const third = takeSlot(() => 'third');
		stop.abort();
		await expect(second).rejects.toMatchObject({ kind: 'cancelled' });
		end();
		await first;
		expect(await third).toBe('third');
	});
});
