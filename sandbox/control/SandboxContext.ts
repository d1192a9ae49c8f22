import type { Clock } from '../domain/Clock';
import type { RateLimit } from '../domain/RateLimit';
import type { Store } from '../domain/Store';
import type { FaultList } from '../faults/createFaultList';
import type { RequestLog } from './createRequestLog';
import type { SandboxOptions } from './SandboxOptions';
import type { SandboxRoute } from './SandboxRoute';

/** What all routes of one sandbox share. */
export interface SandboxContext {
	readonly clock: Clock;
	readonly faults: FaultList;
	readonly requests: RequestLog;
	/** Filled while the server is built. */
	readonly routes: SandboxRoute[];
	/** Replaced by a reset. */
	store: Store;
	/** How latencies are waited for. */
	readonly wait: NonNullable<SandboxOptions['wait']>;
	/** Added to every reply outside the control routes, in real time. */
	latencyMs: number;
	rateLimit: RateLimit | false;
	/** Requests in the current window, by endpoint and account. */
	readonly rateCounts: Map<string, { startedAt: number; count: number }>;
	/** Back to the start. */
	readonly reset: () => void;
}
