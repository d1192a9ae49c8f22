import { Clock } from '../domain/clock';
import { createStore, type Store, type StoreOptions } from '../domain/store';
import { FaultList } from '../faults/faultList';
import { type RecordedRequest, RequestLog } from './requestLog';

/** The initial state of a sandbox, which a reset restores. */
export interface SandboxOptions extends StoreOptions {
	/** 0, the default, uses any free port. */
	port?: number;
	/** `manual` by default. */
	clock?: 'manual' | 'real';
	/** Waits for a latency; in real time by default. */
	wait?: (delayMs: number, request: RecordedRequest) => Promise<void>;
}

/** State shared by all routes of a sandbox. */
export interface SandboxContext {
	readonly clock: Clock;
	readonly faults: FaultList;
	readonly requests: RequestLog;
	/** Replaced by a reset. */
	store: Store;
	readonly wait: SandboxOptions['wait'];
	readonly reset: () => void;
}

export function createContext({
	clock = 'manual',
	wait,
	...options
}: Omit<SandboxOptions, 'port'>): SandboxContext {
	const context: SandboxContext = {
		store: createStore(options),
		clock: new Clock(clock),
		faults: new FaultList(),
		requests: new RequestLog(),
		wait,
		reset: () => {
			context.store = createStore(options);
			context.clock.reset();
			context.faults.active = [];
			context.requests.list = [];
		},
	};
	return context;
}
