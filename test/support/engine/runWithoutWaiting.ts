import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { promises as fileSystem } from 'node:fs';
import type { ClientRequest } from 'node:http';

/**
 * The functions that stay real, and with them the network and promises. The date stays real, too,
 * unless a service's clock advances with it.
 */
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
 * Turns of the event loop, one after the other, without any work, after which only timers are left. Work in progress
 * is known: requests by their channel, the file system and connections by Node. Only chains of promises and immediates
 * are not known, and between two steps of other work they took one turn at most.
 */
const IDLE_TURNS = 10;

/** Types of Node's work outside of the event loop whose result is still to come. */
const BUSY_RESOURCES = new Set([
	'FSReqCallback',
	'FSReqPromise',
	'CloseReq',
	'GetAddrInfoReqWrap',
	'TCPConnectWrap',
	'ShutdownWrap',
	'WriteWrap',
]);

/** Node.js 26 does not list that it writes a buffer to a file, as n8n does beside each file that it stores. */
const { writeFile } = fileSystem;
let unlisted = 0;

/** Maximum CPU time of a run, which never rests: a busy machine takes many times as long. */
const LONGEST_MS = 20_000;

/** A service whose clock advances with the fake one. */
export interface ServiceWithClock {
	clock: { now(): number; advance(delayMs: number): void };
	onRequest(listener: () => void): () => void;
	/** The open requests that wait for the clock themselves, because the service delays them. */
	countSleeping?(): number;
}

const REQUEST_START = 'http.client.request.start';

/**
 * Runs a function without its waits: whenever it waits only for a timer, the fake clock advances to
 * that timer. `jest.now()` is the clock.
 *
 * @param service service whose clock advances with the fake one, which then also sets the date
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

/** The monotonic clock of this process: it never goes back, not even from one test to the next. */
let monotonicMs = 0;

/** Advances the monotonic clock between two tests. */
export function passTime(delayMs: number): void {
	monotonicMs += delayMs;
}

/**
 * Fake time, from its construction to its `end`. It passes only when nothing else is left to do.
 */
export class SkippedTime {
	private readonly stopListening: (() => void) | undefined;

	private readonly startsAt: number;

	private readonly startedAt: number;

	constructor(private readonly service?: ServiceWithClock) {
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
		// The channel belongs to the process: it outlives the test file, and so would a listener.
		subscribe(REQUEST_START, this.noteRequest);
		fileSystem.writeFile = async (file, data, ...more) => {
			const count = typeof data === 'string' || ArrayBuffer.isView(data) ? 1 : 0;
			unlisted += count;
			await writeFile(file, data, ...more).finally(() => (unlisted -= count));
		};
	}

	/** The fake time that has passed, independent of the date. */
	get elapsedMs(): number {
		return Math.round(performance.now() - this.startedAt);
	}

	/**
	 * Advances from timer to timer. Between two timers, all work is done that does not wait for a
	 * timer.
	 *
	 * @throws Error if the end is not reached in `LONGEST_MS`
	 */
	async skipUntil(isOver: () => boolean): Promise<void> {
		const startedAt = process.cpuUsage();
		const isTooLong = () => {
			const { user, system } = process.cpuUsage(startedAt);
			return user + system > LONGEST_MS * 1_000;
		};
		for (let turn = 1; !isOver(); turn++) {
			// Asking for the CPU time takes some itself.
			if (turn % 100 === 0 && isTooLong()) throw new Error(this.describe());
			if (!(await this.settle(isOver))) continue;
			if (jest.getTimerCount() === 0) continue;
			await jest.advanceTimersToNextTimerAsync();
			this.takeServiceAlong();
		}
	}

	/** Lets the event loop turn. @returns whether nothing happens any more until a timer fires */
	private async settle(isOver: () => boolean): Promise<boolean> {
		for (let idleTurns = 0; idleTurns < IDLE_TURNS; idleTurns++) {
			await new Promise((resolve) => setImmediate(resolve));
			if (isOver() || this.isBusy()) return false;
		}
		return true;
	}

	/** Whether work is under way that waits for no timer. */
	private isBusy(): boolean {
		if (unlisted > 0 || openRequests.size > (this.service?.countSleeping?.() ?? 0)) return true;
		return process.getActiveResourcesInfo().some((name) => BUSY_RESOURCES.has(name));
	}

	private readonly noteRequest = (message: unknown): void => {
		const { request } = message as { request: ClientRequest };
		openRequests.add(request);
		request.once('close', () => openRequests.delete(request));
		// The service records when a request arrives.
		this.takeServiceAlong();
	};

	private takeServiceAlong(): void {
		const { clock } = this.service ?? {};
		if (!clock) return;
		clock.advance(Math.max(0, this.startsAt + this.elapsedMs - clock.now()));
	}

	/** Returns to real time. */
	end(): void {
		fileSystem.writeFile = writeFile;
		unsubscribe(REQUEST_START, this.noteRequest);
		this.takeServiceAlong();
		this.stopListening?.();
		passTime(this.elapsedMs);
		jest.useRealTimers();
	}

	private describe(): string {
		const requests = listOpenRequests().join(', ') || 'none';
		return `Nothing has ended in ${LONGEST_MS} ms of CPU time; ${jest.getTimerCount()} timers; open requests: ${requests}`;
	}
}

/** The open requests of this process: code that waits for them does not wait for a timer. */
const openRequests = new Set<ClientRequest>();

export function listOpenRequests(): string[] {
	return [...openRequests].map(({ method, path }) => `${method} ${path}`);
}
