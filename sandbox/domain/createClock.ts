import type { Clock } from './Clock';

/** Where a manual clock starts: a date that every test can write down. */
const DEFAULT_START = Date.parse('2026-01-15T12:00:00.000Z');

/**
 * @param kind `manual` starts at `startsAt` and moves by `advance` only; `real` is this machine's
 *   clock, plus what `advance` added to it
 * @throws RangeError from `advance`, when it is to go backwards.
 */
export function createClock(kind: Clock['kind'], startsAt = DEFAULT_START): Clock {
	let advancedMs = 0;
	return {
		kind,
		now: () => (kind === 'manual' ? startsAt : Date.now()) + advancedMs,
		advance: (ms) => {
			if (!Number.isFinite(ms) || ms < 0) {
				throw new RangeError(`The clock moves forward only, not by ${ms} ms`);
			}
			advancedMs += ms;
		},
		reset: () => {
			advancedMs = 0;
		},
	};
}
