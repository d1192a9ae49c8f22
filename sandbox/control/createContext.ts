import { createClock } from '../domain/createClock';
import { createStore } from '../domain/createStore';
import { createFaultList } from '../faults/createFaultList';
import type { SandboxOptions } from './SandboxOptions';
import { createRequestLog } from './createRequestLog';
import type { SandboxContext } from './SandboxContext';
import { changeSettings, DEFAULT_SETTINGS } from './SandboxSettings';

/** A sandbox before its first request. */
export function createContext(options: SandboxOptions): SandboxContext {
	const readStart = () => {
		const settings = changeSettings(DEFAULT_SETTINGS, options);
		return { settings, store: createStore({ ...options, seed: options.seed ?? 1, settings }) };
	};
	const context: SandboxContext = {
		...readStart(),
		clock: createClock(options.clock ?? 'manual', options.startsAt),
		faults: createFaultList(),
		requests: createRequestLog(),
		rateCounts: new Map(),
		routes: [],
		wait: options.wait,
		reset: () => {
			Object.assign(context, readStart());
			context.clock.reset();
			context.faults.clear();
			context.requests.clear();
			context.rateCounts.clear();
		},
	};
	return context;
}
