/** The source of every time in the sandbox, in milliseconds since 1970. */
export interface Clock {
	/** A `manual` clock moves only with `advance`; a `real` clock also runs by itself. */
	readonly kind: 'manual' | 'real';
	now(): number;
	/** Moves the clock forward. @throws RangeError for a negative `ms` */
	advance(ms: number): void;
	/** Undoes every `advance`. */
	reset(): void;
}

/** The start of a manual clock. */
const START = Date.parse('2026-01-15T12:00:00.000Z');

export function createClock(kind: Clock['kind']): Clock {
	let advancedMs = 0;
	return {
		kind,
		now: () => (kind === 'manual' ? START : Date.now()) + advancedMs,
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
