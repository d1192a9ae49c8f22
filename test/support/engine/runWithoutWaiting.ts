/** Everything stays real but `setTimeout`: network, promises and dates run as they do. */
const REAL = [
	'Date',
	'hrtime',
	'nextTick',
	'performance',
	'queueMicrotask',
	'setImmediate',
	'clearImmediate',
	'setInterval',
	'clearInterval',
] as const;

/**
 * Runs something whose waits are skipped: whenever it waits for a timer and for nothing else, the
 * fake clock goes to that timer. `jest.now()` is the clock.
 */
export async function runWithoutWaiting<T>(start: () => Promise<T>): Promise<T> {
	jest.useFakeTimers({ doNotFake: [...REAL] });
	try {
		const work = { isOver: false };
		const result = start().finally(() => {
			work.isOver = true;
		});
		result.catch(() => undefined);
		for (let idleTurns = 0; !work.isOver; idleTurns++) {
			await new Promise((resolve) => setImmediate(resolve));
			if (idleTurns < IDLE_TURNS || jest.getTimerCount() === 0) continue;
			await jest.advanceTimersToNextTimerAsync();
			idleTurns = 0;
		}
		return await result;
	} finally {
		jest.useRealTimers();
	}
}

/** So many turns of the event loop are left to the network before the clock moves. */
const IDLE_TURNS = 50;
