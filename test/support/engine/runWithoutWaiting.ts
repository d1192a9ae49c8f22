/** What stays real: network, promises, and the date unless a clock goes along with it. */
const REAL = [
	'hrtime',
	'nextTick',
	'performance',
	'queueMicrotask',
	'setImmediate',
	'clearImmediate',
	'setInterval',
	'clearInterval',
] as const;

/** So many turns of the event loop without a connection are taken for waiting. */
const IDLE_TURNS = 100;

/** A service whose clock is to go along. */
export interface ServiceWithClock {
	clock: { now(): number; advance(delayMs: number): void };
	onRequest(listener: () => void): () => void;
}

/**
 * Runs something whose waits are skipped: whenever it waits for a timer and for nothing else, the
 * fake clock goes to that timer. `jest.now()` is the clock.
 *
 * @param service its clock goes along with the fake one, which then is the date, too
 */
export async function runWithoutWaiting<T>(
	start: () => Promise<T>,
	service?: ServiceWithClock,
): Promise<T> {
	jest.useFakeTimers(
		service ? { doNotFake: [...REAL], now: service.clock.now() } : { doNotFake: [...REAL, 'Date'] },
	);
	const goAlong = () => service?.clock.advance(jest.now() - service.clock.now());
	const stopListening = service?.onRequest(goAlong);
	try {
		const work = { isOver: false };
		const result = start().finally(() => {
			work.isOver = true;
		});
		result.catch(() => undefined);
		for (let idleTurns = 0; !work.isOver; idleTurns++) {
			await new Promise((resolve) => setImmediate(resolve));
			if (isConnected()) idleTurns = 0;
			if (idleTurns < IDLE_TURNS || jest.getTimerCount() === 0) continue;
			await jest.advanceTimersToNextTimerAsync();
			idleTurns = 0;
		}
		return await result;
	} finally {
		goAlong();
		stopListening?.();
		jest.useRealTimers();
	}
}

/** Whether a request is on its way: the engine closes each connection with its answer. */
function isConnected(): boolean {
	return process
		.getActiveResourcesInfo()
		.some((name) => /^(TCPSocketWrap|TCPConnectWrap|GetAddrInfoReqWrap)$/.test(name));
}
