import { createClock } from '../../../sandbox/domain/clock';
import { createIdSource, createStore } from '../../../sandbox/domain/store';

describe('A manual clock', () => {
	it('stands still until it is moved', () => {
		const clock = createClock('manual');
		const start = clock.now();
		expect(new Date(start).toISOString()).toBe('2026-01-15T12:00:00.000Z');
		clock.advance(1500);
		clock.advance(0);
		expect(clock.now()).toBe(start + 1500);
		clock.reset();
		expect(clock.now()).toBe(start);
	});
	it('can start at any time', () => {
		expect(createClock('manual', 42).now()).toBe(42);
	});
	it.each([-1, NaN, Infinity])('refuses to move by %d ms', (ms) => {
		expect(() => {
			createClock('manual').advance(ms);
		}).toThrow(RangeError);
	});
});

it("A real clock is this machine's, plus what it was advanced by", () => {
	jest.useFakeTimers({ now: 1_000_000 });
	const clock = createClock('real');
	expect(clock.now()).toBe(1_000_000);
	clock.advance(500);
	jest.setSystemTime(2_000_000);
	expect(clock.now()).toBe(2_000_500);
	jest.useRealTimers();
});

describe('Ids', () => {
	const take = (seed: number, count: number): string[] => {
		const createId = createIdSource(seed);
		return Array.from({ length: count }, () => createId());
	};
	it('are UUIDs that never repeat', () => {
		const ids = take(1, 5000);
		expect(new Set(ids).size).toBe(5000);
		for (const id of ids) {
			expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
		}
	});
	it('are the same for the same seed, from the start on', () => {
		expect(take(7, 3)).toEqual(take(7, 3));
		expect(take(7, 3)).not.toEqual(take(8, 3));
		expect(createStore({ seed: 7 }).videos).toEqual(createStore({ seed: 7 }).videos);
		expect(createStore({ seed: 7 }).videos).not.toEqual(createStore({ seed: 8 }).videos);
	});
});
