import {
	type IExecuteFunctions,
	type IExecutePaginationFunctions,
	type IExecuteSingleFunctions,
	redactedHeaders,
} from 'n8n-workflow';

export type RunContext = IExecuteFunctions | IExecutePaginationFunctions;

/*
 * The timeouts that end an execution, and what is known of them (n8n 2.41):
 *
 * - that of its workflow, or else of the instance (`EXECUTIONS_TIMEOUT`, n8n Cloud's plan), both capped by
 *   `EXECUTIONS_TIMEOUT_MAX` and by that of a parent: `executionTimeoutTimestamp`
 * - after n8n's Wait node has parked it, it counts from the original start, parked time included, but
 *   `executionTimeoutTimestamp` begins anew: the workflow's own timeout is known, the instance's is not
 * - after a form or an approval, on a worker, or as a retry, whose start is that of the failed execution:
 *   `executionTimeoutTimestamp`, which begins anew
 */

/** What n8n's engine keeps of an execution, and has no function for. Each part may be missing. */
interface Engine {
	additionalData?: { executionTimeoutTimestamp?: unknown };
	instanceSettings?: { instanceType?: unknown };
	getExecutionContext?(): { establishedAt?: unknown } | undefined;
}

/** Whether the execution runs on a worker of n8n's queue mode, so that others may run at the same time elsewhere. */
export const isOnWorker = (context: object): boolean =>
	(context as Engine).instanceSettings?.instanceType === 'worker';

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
	const limit = (context as Engine).additionalData?.executionTimeoutTimestamp;
	const limitMs = typeof limit === 'number' ? limit - now : Infinity;
	const { executionTimeout = -1 } = context.getWorkflowSettings();
	if (executionTimeout <= 0) return limitMs;
	const established = (context as Engine).getExecutionContext?.()?.establishedAt;
	const isCountedAnew = context.getMode() === 'retry' || isOnWorker(context);
	const isKnown = !isCountedAnew && typeof established === 'number';
	const startedAt = isKnown ? Math.min(established, now) : now;
	const ownMs = startedAt + executionTimeout * 1_000 - now;
	// Past its end, it would not go on: an approval or a form has resumed it.
	return ownMs <= 0 && limitMs < Infinity ? limitMs : Math.min(limitMs, ownMs);
}

/** Whether n8n has saved the execution as stopped: Stop reaches a worker only from the process that has queued it. */
export async function isSavedAsStopped(context: IExecuteSingleFunctions): Promise<boolean> {
	const { getExecutionDataById } = context as Partial<
		Pick<IExecuteFunctions, 'getExecutionDataById'>
	>;
	const saved = await getExecutionDataById?.call(context, context.getExecutionId());
	return /cancell?ed/i.test(saved?.resultData.error?.message ?? '');
}

/**
 * Whether this is n8n 2.36 or later, which takes an item with `error`, `message` and `details` for a failed one. Two
 * features of that version tell: an export of n8n-workflow, and a method of the engine, which may be older.
 */
export function knowsDetails(context: object): boolean {
	return typeof redactedHeaders === 'function' && 'isConsoleOutputRedacted' in context;
}

/** Shows warnings under the node's output. n8n has none where an agent calls its tool itself. */
export function showHints(context: object, messages: string[]): void {
	const { addExecutionHints } = context as Partial<IExecuteFunctions>;
	const hints = messages.map(
		(message) => ({ type: 'warning', location: 'outputPane', message }) as const,
	);
	addExecutionHints?.call(context, ...hints);
}

/** Writes a line to n8n's log. */
export function logInfo(context: IExecuteSingleFunctions, text: string): void {
	try {
		const executionId = context.getExecutionId() as string | undefined;
		// Calls of n8n's Agents and of its MCP Server Trigger have no execution.
		context.logger.info(executionId === undefined ? text : `${text} in execution ${executionId}`);
	} catch {
		// The item's work goes on, whatever becomes of n8n's log.
	}
}
