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

/**
 * Work that is under way is known: requests by their channel, the file system and connections by
 * Node. What remains are chains of promises and immediates, which take a few turns of the event loop.
 */
const IDLE_TURNS = 25;

/** Work of Node outside of the event loop, whose result is still to come. */
const BUSY_RESOURCES = new Set([
	'FSReqCallback',
	'FSReqPromise',
	'CloseReq',
	'GetAddrInfoReqWrap',
	'TCPConnectWrap',
	'ShutdownWrap',
	'WriteWrap',
]);

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
 * fake clock goes to that timer. `jest.now()` is the clock.
 *
 * @param service its clock goes along with the fake one, which then is the date, too
 */
export async function runWithoutWaiting<T>(
	start: () => Promise<T>,
	service?: ServiceWithClock,
): Promise<T> {
	const time = new SkippedTime(service);
	try {
		const work = { isOver: false };
		const result = start().finally(() => {
			work.isOver = true;
		});
		result.catch(() => undefined);
		await time.skipUntil(() => work.isOver);
		return await result;
	} finally {
		time.end();
	}
}

/** Where the monotonic clock of this process is: it never goes back, not even from one test to the next. */
let monotonicMs = 0;

/** Lets time pass between two tests, as far as the monotonic clock shows it. */
export function passTime(delayMs: number): void {
	monotonicMs += delayMs;
}

/** Fake time, from its construction to its `end`, that passes only where nothing else is to be done. */
export class SkippedTime {
	private readonly stopListening: (() => void) | undefined;

	private readonly startsAt: number;

	private readonly startedAt: number;

	private setByMs = 0;

	/**
	 * @param countSleeping how many open requests wait for the clock themselves, because the service takes its time
	 * @param beforeSkip called when nothing is left to be done before the next timer
	 */
	constructor(
		private readonly service?: ServiceWithClock,
		private readonly countSleeping: () => number = () => 0,
		private readonly beforeSkip: () => void = () => undefined,
	) {
		jest.useFakeTimers(
			service
				? { doNotFake: [...REAL], now: service.clock.now() }
				: { doNotFake: [...REAL, 'Date'] },
		);
		jest.advanceTimersByTime(monotonicMs);
		this.startsAt = service?.clock.now() ?? 0;
		if (service) jest.setSystemTime(this.startsAt);
		this.startedAt = performance.now();
		this.stopListening = service?.onRequest(() => {
			this.takeServiceAlong();
		});
		// The channel is the process's own: it outlives the test file, and so would a listener.
		subscribe(REQUEST_START, this.noteRequest);
	}

	/** How much fake time has passed, whatever the date was set to. */
	get elapsedMs(): number {
		return Math.round(performance.now() - this.startedAt);
	}

	/** Sets this machine's clock: the date changes, and no time passes. */
	setClock(byMs: number): void {
		this.setByMs += byMs;
		jest.setSystemTime(this.startsAt + this.elapsedMs + this.setByMs);
	}

	/** The requests of this process that have not ended. */
	get openRequests(): string[] {
		return [...openRequests].map(({ method, path }) => `${method} ${path}`);
	}

	/**
	 * Goes from timer to timer. Between two of them, everything is done that does not wait for a timer.
	 *
	 * @throws Error when nothing leads to the end
	 */
	async skipUntil(isOver: () => boolean): Promise<void> {
		const startedAt = process.hrtime.bigint();
		while (!isOver()) {
			if (process.hrtime.bigint() - startedAt > LONGEST_MS * 1e6) throw new Error(this.describe());
			if (!(await this.settle(isOver))) continue;
			this.beforeSkip();
			if (jest.getTimerCount() === 0) continue;
			await jest.advanceTimersToNextTimerAsync();
			this.takeServiceAlong();
		}
	}

	/**
	 * Lets the event loop turn.
	 *
	 * @returns whether nothing happens any more until a timer fires
	 */
	private async settle(isOver: () => boolean): Promise<boolean> {
		for (let idleTurns = 0; idleTurns < IDLE_TURNS; idleTurns++) {
			await new Promise((resolve) => setImmediate(resolve));
			if (isOver()) return false;
			if (openRequests.size > this.countSleeping()) return false;
		}
		return !process.getActiveResourcesInfo().some((name) => BUSY_RESOURCES.has(name));
	}

	private readonly noteRequest = (message: unknown): void => {
		const { request } = message as { request: ClientRequest };
		openRequests.add(request);
		request.once('close', () => openRequests.delete(request));
		// The service writes down when a request comes.
		this.takeServiceAlong();
	};

	private takeServiceAlong(): void {
		const { clock } = this.service ?? {};
		if (!clock) return;
		clock.advance(Math.max(0, this.startsAt + this.elapsedMs - clock.now()));
	}

	/** Back to real time. */
	end(): void {
		unsubscribe(REQUEST_START, this.noteRequest);
		this.takeServiceAlong();
		this.stopListening?.();
		passTime(this.elapsedMs);
		jest.useRealTimers();
	}

	private describe(): string {
		const requests = this.openRequests.join(', ') || 'none';
		return `Nothing has ended in ${LONGEST_MS} ms; ${jest.getTimerCount()} timers; open requests: ${requests}`;
	}
}

/** The requests of this process that have not ended: what waits for them does not wait for a timer. */
const openRequests = new Set<ClientRequest>();
