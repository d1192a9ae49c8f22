import { EventEmitter, once } from 'node:events';
import { createSlots, pause, Turns, withTimeout } from '../../../nodes/VideoGeneration/api/pacing';
import { CANCELLED, TIMED_OUT } from '../../../nodes/VideoGeneration/failures/failure';

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

test('Work waits for a free slot, in its order', async () => {
	const takeSlot = createSlots(1);
	const response = new EventEmitter();
	const done: string[] = [];
	const work = (name: string) => async () => {
		await once(response, name);
		done.push(name);
	};
	const all = ['first', 'second', 'third'].map(async (name) => {
		await takeSlot(work(name));
	});
	// The slots of these are not free yet.
	response.emit('third');
	response.emit('second');
	for (const [index, name] of ['first', 'second', 'third'].entries()) {
		response.emit(name);
		await all[index];
	}
	expect(done).toEqual(['first', 'second', 'third']);
});

describe('Work with a timeout', () => {
	const never = async () => {
		await new Promise<never>(() => undefined);
	};

	test('fails when its time is over, and is told to end', async () => {
		let end: AbortSignal | undefined;
		const work = withTimeout(async (signal) => {
			end = signal;
			await never();
		}, 1);
		await expect(work).rejects.toBe(TIMED_OUT);
		expect(end?.aborted).toBe(true);
	});

	test('fails at once when its execution is stopped', async () => {
		const stop = new AbortController();
		const work = withTimeout(never, 100_000, stop.signal);
		stop.abort();
		await expect(work).rejects.toBe(CANCELLED);
	});

	test('leaves no timer when it ends in time', async () => {
		jest.useFakeTimers();
		expect(await withTimeout(async () => await Promise.resolve('done'), 100_000)).toBe('done');
		expect(jest.getTimerCount()).toBe(0);
		jest.useRealTimers();
	});
});

test('Work that is stopped while it waits for its turn is not done, and the next one still waits for the first', async () => {
	const turns = new Turns();
	const { signal } = new AbortController();
	const stop = new AbortController();
	const done: string[] = [];
	const work = (name: string) => async () => {
		done.push(name);
		await Promise.resolve();
	};
	const response = new EventEmitter();
	const first = turns.take(
		['sea'],
		async () => {
			await once(response, 'end');
		},
		signal,
	);
	const stopped = turns.take(['sea'], work('stopped'), stop.signal);
	const next = turns.take(['sea'], work('next'), signal);
	await turns.take(['city'], work('of another key'), signal);
	stop.abort();
	await expect(stopped).rejects.toMatchObject({ kind: 'cancelled' });
	await new Promise((resolve) => setImmediate(resolve));
	expect(done).toEqual(['of another key']);
	response.emit('end');
	await Promise.all([first, next]);
	expect(done).toEqual(['of another key', 'next']);
});
