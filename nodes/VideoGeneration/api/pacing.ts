import * as n8nWorkflow from 'n8n-workflow';
import { CANCELLED } from '../failures/failure';

/** Longer timers overflow in Node.js, and fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Older versions of n8n have another function for a wait that a signal can end. */
const sleep =
	(n8nWorkflow as { sleepWithAbort?: typeof n8nWorkflow.sleep }).sleepWithAbort ??
	n8nWorkflow.sleep;

/**
 * Waits, unless the signal ends the wait at once.
 *
 * @returns whether the time has passed; false when the signal ended the wait
 */
export async function pause(delayMs: number, signal?: AbortSignal): Promise<boolean> {
	for (let leftMs = delayMs; leftMs > 0 && signal?.aborted !== true; leftMs -= MAX_TIMER_MS) {
		const timer = new AbortController();
		const stopListening = onAbort(signal, () => {
			timer.abort();
		});
		await sleep(Math.min(leftMs, MAX_TIMER_MS), timer.signal).catch(() => undefined);
		stopListening();
	}
	return signal?.aborted !== true;
}

/**
 * Waits until a time, by `performance.now()`.
 *
 * @throws a RequestFailure of the kind `cancelled` when the signal is aborted
 */
export async function pauseUntil(time: number, signal: AbortSignal): Promise<void> {
	// A timer may be early by a fraction of a millisecond.
	for (let isOver = false; !isOver; isOver = performance.now() >= time) {
		if (!(await pause(Math.ceil(time - performance.now()), signal))) throw CANCELLED;
	}
}

const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when the signal is aborted, or at once if it is already. All callbacks share one listener: Node.js warns of a leak at
 * more than ten listeners, and thousands of items may wait.
 *
 * @returns a function that stops listening
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
	if (signal === undefined) return () => undefined;
	if (signal.aborted) callback();
	const callbacks = listeners.get(signal) ?? new Set();
	if (!listeners.has(signal)) {
		listeners.set(signal, callbacks);
		signal.addEventListener('abort', () => {
			for (const each of callbacks) each();
		});
	}
	callbacks.add(callback);
	return () => {
		callbacks.delete(callback);
	};
}

/** A signal that is aborted when one of the others is; undefined ones are left out. */
export function combineSignals(...signals: (AbortSignal | undefined)[]): AbortSignal {
	return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}

/** Maximum time of work during which the event loop stands still. */
const MAX_WORK_MS = 10;

/** Long work, which yields to the event loop between its parts. */
export class LongWork {
	private yieldedAt = performance.now();

	/** Yields if the event loop has stood still for long. */
	async yieldIfDue(): Promise<void> {
		if (performance.now() - this.yieldedAt <= MAX_WORK_MS) return;
		await pause(1);
		this.yieldedAt = performance.now();
	}
}

/**
 * The number of jobs that begin before the event loop turns: n8n takes up to a millisecond to prepare a request.
 * They are counted and not timed, since jobs that begin together do most of their work later.
 */
const MAX_BEGUN = 8;

/** Runs a job as soon as a slot is free. */
export type TakeSlot = <T>(work: () => T | Promise<T>) => Promise<T>;

/**
 * Limits how much work is done at the same time; the rest waits in its order. Thousands of items may
 * ask at once, so there are breaks in which n8n does other work.
 */
export function createSlots(count: number): TakeSlot {
	const waiting: (() => void)[] = [];
	let free = count;
	let begun = 0;
	let nextYield: Promise<void> | undefined;
	const yieldToOthers = async () => {
		nextYield ??= pause(1).then(() => {
			begun = 0;
			nextYield = undefined;
		});
		await nextYield;
	};
	return async (work) => {
		if (free > 0) free -= 1;
		else await new Promise<void>((resolve) => waiting.push(resolve));
		try {
			while (begun >= MAX_BEGUN) await yieldToOthers();
			begun += 1;
			return await work();
		} finally {
			const next = waiting.shift();
			if (next) next();
			else free += 1;
			if (free === count) begun = 0;
		}
	};
}
