import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';

/** What stays real: network, promises, and the date unless a clock goes along with it. */
const REAL = [
	'hrtime',
	'nextTick',
	'queueMicrotask',
	'setImmediate',
	'clearImmediate',
	'setInterval',
	'clearInterval',
] as const;

/** So many turns of the event loop without a request are taken for waiting. */
const IDLE_TURNS = 100;

/** Real time after which something has gone wrong; shorter than a test may take. */
const LONGEST_MS = 20_000;

/** A service whose clock is to go along. */
export interface ServiceWithClock {
	clock: { now(): number; advance(delayMs: number): void };
	onRequest(listener: () => void): () => void;
}

const REQUEST_START = 'http.client.request.start';

/**
 * Runs something whose waits are skipped: whenever it waits for a timer and for nothing else, the
 * fake clock goes to that timer. `jest.now()` is the clock, and `performance.now()` goes with it.
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
	// The channel is the process's own: it outlives the test file, and so would a listener.
	subscribe(REQUEST_START, noteRequest);
	try {
		const work = { isOver: false };
		const result = start().finally(() => {
			work.isOver = true;
		});
		result.catch(() => undefined);
		const startedAt = process.hrtime.bigint();
		for (let idleTurns = 0; !work.isOver; idleTurns++) {
			const passedMs = Number(process.hrtime.bigint() - startedAt) / 1e6;
			if (passedMs > LONGEST_MS) throw new Error(describeStandstill());
			await new Promise((resolve) => setImmediate(resolve));
			if (openRequests.size > 0) idleTurns = 0;
			if (idleTurns < IDLE_TURNS || jest.getTimerCount() === 0) continue;
			await jest.advanceTimersToNextTimerAsync();
			idleTurns = 0;
		}
		return await result;
	} finally {
		unsubscribe(REQUEST_START, noteRequest);
		goAlong();
		stopListening?.();
		jest.useRealTimers();
	}
}

/** The requests of this process that have not ended: what waits for them does not wait for a timer. */
const openRequests = new Set<ClientRequest>();

function noteRequest(message: unknown): void {
	const { request } = message as { request: ClientRequest };
	openRequests.add(request);
	request.once('close', () => openRequests.delete(request));
}

function describeStandstill(): string {
	const requests = [...openRequests].map(({ method, path }) => `${method} ${path}`);
	return `Nothing has ended in ${LONGEST_MS} ms; ${jest.getTimerCount()} timers; open requests: ${requests.join(', ') || 'none'}`;
}
