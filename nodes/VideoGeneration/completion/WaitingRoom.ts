import type { IDataObject } from 'n8n-workflow';
import { pause } from '../request/pause';
import { readFailure } from '../failures/readFailure';
import type { FailureKind } from '../failures/requestFailure';
import { RequestFailure } from '../failures/requestFailure';
import { endFinishedWaits } from './endFinishedWaits';
import { lookAtProgress } from './lookAtProgress';
import { VideoLogReads } from './VideoLogReads';
import type { WaitOrder } from './VideoWait';
import { VideoWait } from './VideoWait';

/** No later read of the video log will do better. */
const LASTING: FailureKind[] = [
	'rejected',
	'redirected',
	'blocked',
	'unsent',
	'cancelled',
	'unexpected',
];

/** Looks that are due this close to each other are taken together, as part of their interval. */
const TOGETHER = 0.1;

/** All queue items of one run of the node, waiting side by side and sharing each read of the video log. */
export class WaitingRoom {
	private readonly waits: VideoWait[] = [];

	private readonly log = new VideoLogReads();

	private readonly signal: AbortSignal;

	private nextLogReadAt = 0;

	private isOpen = false;

	private wake = new AbortController();

	/**
	 * @param readVideos reads the video log once (specification, "GET /v1/videos")
	 * @param signals any of these ends all waits at once
	 * @param now the time in milliseconds since 1970
	 */
	constructor(
		private readonly readVideos: () => Promise<IDataObject[]>,
		signals: (AbortSignal | undefined)[],
		private readonly now: () => number = Date.now,
	) {
		this.signal = AbortSignal.any(signals.filter((signal) => signal !== undefined));
		this.signal.addEventListener('abort', () => {
			this.endAll(new RequestFailure('cancelled'));
		});
	}

	/**
	 * @returns the finished item
	 * @throws a RequestFailure: `notGenerated`, `timedOut`, `cancelled`, or that of a look which no
	 * later one will mend; all with the item's last status
	 */
	async waitFor(order: WaitOrder): Promise<IDataObject> {
		const wait = new VideoWait(order, this.now());
		wait.lastRunningRead = order.details ? this.log.count : 0;
		if (this.signal.aborted) throw new RequestFailure('cancelled');
		this.waits.push(wait);
		this.wake.abort();
		if (!this.isOpen) void this.open();
		return await wait.result;
	}

	/** Goes round until nobody waits any more. Never rejects: an error ends the waits with it. */
	private async open(): Promise<void> {
		this.isOpen = true;
		try {
			while (this.getWaiting().length > 0) {
				await this.sleepUntilDue();
				await this.goRound();
			}
		} catch (error) {
			this.endAll(readFailure(error));
		}
		this.isOpen = false;
	}

	private endAll(failure: RequestFailure): void {
		for (const wait of this.getWaiting()) wait.fail(failure);
	}

	private async goRound(): Promise<void> {
		// What was in the log before an item was seen running is none of its own.
		if (this.log.count === 0 && this.waits.some(({ notBefore }) => notBefore === undefined))
			await this.readLog();

		const due = this.waits.filter((wait) => wait.state === 'running' && this.isDue(wait));
		await Promise.all(
			due.map(async (wait) => {
				await lookAtProgress(wait, this.log.count, this.now);
			}),
		);
		if (this.waits.some(({ needsLog }) => needsLog) && this.now() >= this.nextLogReadAt)
			await this.readLog();
		endFinishedWaits(this.waits, this.log.videos, this.now());
	}

	/** Sleeps until something is due, or nothing is waited for any more; a new wait may be due earlier. */
	private async sleepUntilDue(): Promise<void> {
		for (let delayMs = this.getDelayMs(); delayMs > 0; delayMs = this.getDelayMs()) {
			this.wake = new AbortController();
			await pause(delayMs, [this.signal, this.wake.signal]);
		}
	}

	private getDelayMs(): number {
		return this.getWaiting().length === 0 ? 0 : this.getNextDueAt() - this.now();
	}

	private getNextDueAt(): number {
		return Math.min(
			...this.getWaiting().map((wait) =>
				wait.state === 'running' ? wait.nextLookAt : this.getNextLogLookAt(wait),
			),
		);
	}

	/** With its last moment behind it, an item only waits for others of its project to be told apart from. */
	private getNextLogLookAt({ deadlineAt }: VideoWait): number {
		return deadlineAt > this.now() ? Math.min(this.nextLogReadAt, deadlineAt) : this.nextLogReadAt;
	}

	private isDue({ nextLookAt, order }: VideoWait): boolean {
		return nextLookAt <= this.now() + order.intervalMs * TOGETHER;
	}

	/** Reads the video log, once an interval at the most. A read that fails is made up for by the next one. */
	private async readLog(): Promise<void> {
		const intervalMs = Math.min(...this.getWaiting().map(({ order }) => order.intervalMs));
		this.nextLogReadAt = this.now() + intervalMs;
		const outcome = await this.readVideos().then(
			(entries) => ({ entries }),
			(reason: unknown) => ({ failure: readFailure(reason) }),
		);
		if ('entries' in outcome) {
			this.log.add(outcome.entries);
			for (const wait of this.waits) if (wait.needsLog) wait.readsSinceFinished += 1;
			return;
		}
		const { kind, facts } = outcome.failure;
		for (const wait of this.waits.filter(({ needsLog }) => needsLog)) {
			wait.problem = outcome.failure;
			if (LASTING.includes(kind)) wait.fail(outcome.failure);
		}
		this.nextLogReadAt = Math.max(this.nextLogReadAt, this.now() + (facts.retryAfterMs ?? 0));
	}

	private getWaiting(): VideoWait[] {
		return this.waits.filter(({ state }) => state !== 'over');
	}
}
