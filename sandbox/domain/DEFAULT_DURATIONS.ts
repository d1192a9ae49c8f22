import type { Durations } from './Durations';

/** Eight seconds a video: long enough to see it grow, short enough to wait for. */
export const DEFAULT_DURATIONS: Readonly<Durations> = {
	pendingMs: 1000,
	processingMs: 4000,
	renderingMs: 3000,
	logDelayMs: 0,
};
