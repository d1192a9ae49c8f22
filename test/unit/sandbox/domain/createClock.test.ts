import { createClock } from '../../../../sandbox/domain/clock';

describe('a manual clock', () => {
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
	it('starts where it is told to', () => {
		expect(createClock('manual', 42).now()).toBe(42);
	});
	it.each([-1, NaN, Infinity])('refuses to move by %d ms', (ms) => {
		expect(() => {
			createClock('manual').advance(ms);
		}).toThrow(RangeError);
	});
});

describe('a real clock', () => {
	it("is this machine's, plus what it was advanced by", () => {
		jest.useFakeTimers({ now: 1_000_000 });
		const clock = createClock('real');
		expect(clock.now()).toBe(1_000_000);
		clock.advance(500);
		jest.setSystemTime(2_000_000);
		expect(clock.now()).toBe(2_000_500);
		jest.useRealTimers();
	});
});
