import type { Clock } from '../domain/Clock';
import type { Store } from '../domain/Store';
import type { FaultList } from '../faults/createFaultList';
import type { RequestLog } from './createRequestLog';
import type { SandboxOptions } from './SandboxOptions';
import type { SandboxRoute } from './SandboxRoute';
import type { SandboxSettings } from './SandboxSettings';

/** What all routes of one sandbox share. */
export interface SandboxContext {
	readonly clock: Clock;
	readonly faults: FaultList;
	readonly requests: RequestLog;
	/** Filled while the server is built. */
	readonly routes: SandboxRoute[];
	/** Replaced by a reset. */
	store: Store;
	readonly wait: SandboxOptions['wait'];
	/** The same object as the store's settings; replaced by a reset. */
	settings: SandboxSettings;
	/** Requests in the current window, by endpoint and account. */
	readonly rateCounts: Map<string, { startedAt: number; count: number }>;
	/** Back to the start. */
	readonly reset: () => void;
}
