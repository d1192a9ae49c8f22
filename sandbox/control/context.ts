import { type Clock, createClock } from '../domain/clock';
import type { Operation } from '../domain/model';
import { createStore, type Store, type StoreOptions } from '../domain/store';
import { createFaultList, type FaultList } from '../faults/faultList';
import { createRequestLog, type RecordedRequest, type RequestLog } from './requestLog';

/** The initial state of a sandbox, which a reset restores. */
export interface SandboxOptions extends StoreOptions {
	/** 0, the default, uses any free port. */
	port?: number;
	/** `manual` by default. */
	clock?: Clock['kind'];
	/** Waits for a latency; in real time by default. */
	wait?: (delayMs: number, request: RecordedRequest) => Promise<void>;
}

interface SandboxRoute {
	method: string;
	/** The path pattern, with `:name` for parameters. */
	path: string;
	/** Undefined for control routes. */
	operation: Operation | undefined;
}

/** State shared by all routes of a sandbox. */
export interface SandboxContext {
	readonly clock: Clock;
	readonly faults: FaultList;
	readonly requests: RequestLog;
	/** Filled while the server is built. */
	readonly routes: SandboxRoute[];
	/** Replaced by a reset. */
	store: Store;
	readonly wait: SandboxOptions['wait'];
	/** Requests in the current window, by endpoint and account. */
	readonly rateCounts: Map<string, { startedAt: number; count: number }>;
	readonly reset: () => void;
}

export function createContext(options: SandboxOptions): SandboxContext {
	const context: SandboxContext = {
		store: createStore(options),
		clock: createClock(options.clock ?? 'manual'),
		faults: createFaultList(),
		requests: createRequestLog(),
		rateCounts: new Map(),
		routes: [],
		wait: options.wait,
		reset: () => {
			context.store = createStore(options);
			context.clock.reset();
			context.faults.clear();
			context.requests.clear();
			context.rateCounts.clear();
		},
	};
	return context;
}
