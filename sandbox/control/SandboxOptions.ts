import type { Clock } from '../domain/Clock';
import type { RecordedRequest } from './RecordedRequest';
import type { SettingsChange } from './SandboxSettings';

/** How a sandbox begins; a reset brings it back to this. */
export interface SandboxOptions extends SettingsChange {
	/** 0, the default, takes any free port. */
	port?: number;
	/** Decides all ids that are not fixed. 1 by default, so that a test sees the same ones again. */
	seed?: number;
	/** Of the main account; 100 by default. */
	credits?: number;
	/** Of the main account; the seeded one by default. */
	apiKey?: string;
	/** `manual` by default. */
	clock?: Clock['kind'];
	/** Where a manual clock starts (milliseconds since 1970); 2026-01-15T12:00:00Z by default. */
	startsAt?: number;
	/** How a latency is waited for, which is in real time by default. */
	wait?: (delayMs: number, request: RecordedRequest) => Promise<void>;
}
