import type { IExecuteFunctions, IExecutePaginationFunctions } from 'n8n-workflow';

export type RunContext = IExecuteFunctions | IExecutePaginationFunctions;

/*
 * What can end an execution, and what is known of it (n8n 2.41):
 *
 * - the timeout of its workflow, or else of the instance (`EXECUTIONS_TIMEOUT`, n8n Cloud's plan), both capped by
 *   `EXECUTIONS_TIMEOUT_MAX` and by that of a parent, which does not stop it but then does not get its output:
 *   `executionTimeoutTimestamp`
 * - the same, after n8n's Wait node has parked it for a time: it counts from the original start, parked time included.
 *   `executionTimeoutTimestamp` begins anew, so it is too late: the workflow's timeout is known, the instance's is not
 * - the same, after a form or an approval has resumed it, on a worker, however it was parked, or as a retry, whose
 *   start is that of the failed execution: `executionTimeoutTimestamp`, which begins anew
 * - Stop, or an item that fails with the node set to stop: `Run.signal`
 * - the end of its process, or a model that waits no longer: nothing, and the documents say what to do
 */

/** What n8n's engine keeps of an execution, and has no function for. Each part may be missing. */
interface Engine {
	additionalData?: { executionTimeoutTimestamp?: unknown };
	instanceSettings?: { instanceType?: unknown };
	getExecutionContext?(): { establishedAt?: unknown } | undefined;
}

/** When each execution ends, by its signal: without n8n's own time, it counts from the first run of the node. */
const ends = new WeakMap<AbortSignal, number>();

/** When n8n ends an execution, by `performance.now()`; Infinity where nothing does. */
export function getExecutionEnd(context: RunContext): number {
	const signal = context.getExecutionCancelSignal();
	const endsAt =
		(signal && ends.get(signal)) ?? performance.now() + getTimeLeftMs(context, Date.now());
	if (signal) ends.set(signal, endsAt);
	return endsAt;
}

function getTimeLeftMs(context: RunContext, now: number): number {
	const { additionalData, instanceSettings } = context as Engine;
	const limit = additionalData?.executionTimeoutTimestamp;
	const limitMs = typeof limit === 'number' ? limit - now : Infinity;
	const { executionTimeout = -1 } = context.getWorkflowSettings();
	if (executionTimeout <= 0) return limitMs;
	const established = (context as Engine).getExecutionContext?.()?.establishedAt;
	const isCountedAnew =
		context.getMode() === 'retry' || instanceSettings?.instanceType === 'worker';
	const isKnown = !isCountedAnew && typeof established === 'number';
	const startedAt = isKnown ? Math.min(established, now) : now;
	const ownMs = startedAt + executionTimeout * 1_000 - now;
	// Past its end, it would not go on: an approval or a form has resumed it.
	return ownMs <= 0 && limitMs < Infinity ? limitMs : Math.min(limitMs, ownMs);
}
