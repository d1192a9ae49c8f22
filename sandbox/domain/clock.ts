/** The start of a manual clock. */
const START = Date.parse('2026-01-15T12:00:00.000Z');

/** The source of every time in the sandbox, in milliseconds since 1970. */
export class Clock {
	private advancedMs = 0;

	/** A `manual` clock moves only with `advance`; a `real` clock also runs by itself. */
	constructor(private readonly kind: 'manual' | 'real') {}

	now(): number {
		return (this.kind === 'manual' ? START : Date.now()) + this.advancedMs;
	}

	advance(ms: number): void {
		this.advancedMs += ms;
	}

	/** Undoes every `advance`. */
	reset(): void {
		this.advancedMs = 0;
	}
}
