/** Where the sandbox takes every time from. Times are milliseconds since 1970. */
export interface Clock {
	/** `manual` stands still between two calls of `advance`; `real` runs by itself, too. */
	readonly kind: 'manual' | 'real';
	now(): number;
	/** Moves the clock forward by `ms`, which is never negative. */
	advance(ms: number): void;
	/** Takes back every `advance`. */
	reset(): void;
}
