import type { Durations } from '../domain/Durations';
import type { RateLimit } from '../domain/RateLimit';

/** What can be changed while the sandbox runs. */
export interface SandboxSettings {
	/** Added to every reply, in real time. */
	latencyMs: number;
	/** `false` switches the limits off. */
	rateLimit: RateLimit | false;
	/** Of items that are queued from now on; a project's own durations come first. */
	durations: Partial<Durations>;
	/** Null: finished and failed items stay in the queue until they are cleared. */
	endedItemsLeaveAfterMs: number | null;
}
