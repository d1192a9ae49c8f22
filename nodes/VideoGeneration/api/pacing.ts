import { sleep, sleepWithAbort } from 'n8n-workflow';
import { CANCELLED, TIMED_OUT } from '../failures/failure';

/** Longer timers overflow in Node.js, and fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

declare module 'n8n-workflow' {
	const sleepWithAbort: typeof sleep | undefined;
}

/** Older versions of n8n have another function for a wait that a signal can end. */
const sleepUntilAborted = sleepWithAbort ?? sleep;

/** Waits. @returns whether the time has passed; false when the signal ended the wait */
export async function pause(delayMs: number, signal?: AbortSignal): Promise<boolean> {
	if (delayMs > 0 && signal?.aborted !== true) {
		const timer = new AbortController();
		const stopListening = onAbort(signal, () => {
			// Without a reason, Node.js creates an error with a stack trace.
			timer.abort(CANCELLED);
		});
		await sleepUntilAborted(Math.min(delayMs, MAX_TIMER_MS), timer.signal).catch(() => undefined);
		stopListening();
	}
	return signal?.aborted !== true;
}

/** Waits until a time, by `performance.now()`. @throws `CANCELLED` when the signal is aborted */
export async function pauseUntil(time: number, signal: AbortSignal): Promise<void> {
	// A timer may be early by a fraction of a millisecond, and a long time needs several.
	do {
		if (!(await pause(Math.ceil(time - performance.now()), signal))) throw CANCELLED;
	} while (performance.now() < time);
}

const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when the signal is aborted, or at once if it is already, until the returned function is called. All callbacks
 * share one listener: Node.js warns of a leak at more than ten.
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

/** Waits for work, which others may share. @throws `CANCELLED` when the signal is aborted */
export async function untilAborted<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
	return await new Promise<T>((resolve, reject) => {
		const stopListening = onAbort(signal, () => {
			reject(CANCELLED);
		});
		work.then(resolve, reject).finally(stopListening);
	});
}

/** Does work, which its signal ends after a time. @throws `TIMED_OUT`, or `CANCELLED` when the execution is stopped */
export async function withTimeout<T>(
	work: (end: AbortSignal) => Promise<T>,
	timeoutMs: number,
	signal?: AbortSignal,
): Promise<T> {
	const end = new AbortController();
	const timeout = pause(timeoutMs, end.signal).then(() => {
		throw TIMED_OUT;
	});
	return await untilAborted(Promise.race([work(end.signal), timeout]), signal).finally(() => {
		end.abort(CANCELLED);
	});
}

export type TakeSlot = <T>(work: () => T | Promise<T>) => Promise<T>;

/** Limits how much work is done at the same time; the rest waits in its order. */
export function createSlots(count: number): TakeSlot {
	const waiting: (() => void)[] = [];
	let free = count;
	return async (work) => {
		if (free > 0) free -= 1;
		else await new Promise<void>((begin) => waiting.push(begin));
		try {
			return await work();
		} finally {
			const next = waiting.shift();
			if (next) next();
			else free += 1;
		}
	};
}

/** Does the work of each key one after the other, in its order. A key is known while it has any. */
export class Turns {
	/** When the work of each key has ended that began or waits so far. */
	private readonly ends = new Map<unknown, Promise<unknown>>();

	/** Does work when it has the turns of all keys, which it waits for in their order. @throws `CANCELLED` when the signal is aborted before */
	async take<T>(
		[key, ...others]: readonly unknown[],
		work: () => Promise<T>,
		signal?: AbortSignal,
	): Promise<T> {
		if (key === undefined) return await work();
		const before = this.ends.get(key) ?? Promise.resolve();
		const turn = untilAborted(before, signal).then(() => this.take(others, work, signal));
		// Work that is stopped while it waits lets none pass.
		const end = Promise.allSettled([before, turn]).then(() => {
			if (this.ends.get(key) === end) this.ends.delete(key);
		});
		this.ends.set(key, end);
		return await turn;
	}
}
