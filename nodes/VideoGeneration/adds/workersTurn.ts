import { pause, withTimeout } from '../api/pacing';
import { hashText } from '../api/hashText';
import { CANCELLED } from '../failures/failure';
import type { Job } from '../item/job';
import { Entries } from '../n8n/entries';
import { isOnWorker, logInfo } from '../n8n/execution';
import { type AccountVideos, OWED_MS } from '../waiting/accountVideos';

/** A turn is recorded for several periods, and renewed after each: n8n may lose one record of it, and clocks may differ. */
const PERIOD_MS = 20_000;
const PERIODS = 3;

/** A process that has given up its turn, or has no answer for this time, asks again. Others that wait ask sooner. */
const ASK_MS = 6_500;

/** A turn that could not be renewed is renewed after this time. */
const RENEW_AGAIN_MS = 1_000;

/** After so long without an answer, this process goes on without turns until the store answers. */
const MAX_SILENCE_MS = 120_000;

/** An item that ends does not wait longer for the end of its turn. */
const MAX_END_MS = 500;

/**
 * The number of this process, of which each bit is an entry in the store, which only says whether an entry is new. If one
 * of its own is new, another process had the turn last: the next one removes the bits that differ from its own.
 */
const ownNumber = Array.from({ length: 16 }, () => Math.random() < 0.5);

/** By workflow, service and project: those that items of this process have or wait for. */
const workersTurns = new Map<string, WorkersTurn>();

/** Whether n8n's store is silent: this process goes on without turns. */
let isSilent = false;

/**
 * Joins the turn in which the item's video is made, which the caller leaves; none if it is being made, or without entries.
 * A process that is alone leaves the workflow's row alone: n8n's Remove Duplicates may use it.
 */
export async function joinTurn(job: Job<{ body: { projectId?: string } }>) {
	const { context, ledger, order } = job;
	if (ledger.isPaid || !isOnWorker(context) || !Entries.areKept(context)) return undefined;
	const { projectId = '' } = order.body;
	const { baseUrl } = await job.open();
	const lane = JSON.stringify([context.getWorkflow().id, baseUrl, projectId]);
	const entries = new Entries(context, 'workflow');
	const turn = workersTurns.get(lane) ?? new WorkersTurn(lane, projectId, entries);
	workersTurns.set(lane, turn);
	turn.items += 1;
	return turn;
}

/**
 * The turn in which a workflow makes the videos of one project: one process at a time has it. Two may have it where
 * n8n's database is slow, or their clocks differ by more than a period: their videos cannot be told apart then.
 */
export class WorkersTurn {
	/** How many items of this process are made in it, or wait for that. */
	items = 0;
	/** This process has the turn until the end of this period. */
	private lastPeriod = -Infinity;
	/** When this process got the turn from another one, by `performance.now()`. */
	private takenOverAt: number | undefined;
	/** Ends of the assumptions that the process which had the turn before is owed a video, until n8n's store tells. */
	private assumed: (() => void)[] = [];
	/** The entries that this process has recorded, and the bits of the one before it: they go when the turn ends. */
	private readonly recorded = new Set<string>();
	private renewing = new AbortController();
	/** Periods begin at another moment for each lane, since all processes would write at the same one. */
	private readonly phaseMs: number;

	/** @param entries of the workflow: the unique keys are in the row of the node, where a turn would overwrite them */
	constructor(
		private readonly lane: string,
		private readonly projectId: string,
		private readonly entries: Entries,
	) {
		this.phaseMs = hashText(lane) % PERIOD_MS;
	}

	/**
	 * Waits until this process has the turn, which it keeps from item to item until another one wishes for it.
	 *
	 * @returns when it took it over, or goes on without, by `performance.now()` @throws `CANCELLED` when the run ends first
	 */
	async take(job: Job, videos: AccountVideos): Promise<number | undefined> {
		const { signal } = job.run;
		let answeredAt = performance.now();
		for (let isFirst = true; ; isFirst = false) {
			const ask = async (end: AbortSignal) =>
				await this.entries.inTurn(async () => {
					// After its time, it must not take the turn for an item that may be done.
					return end.aborted ? undefined : await this.tryToTake(videos);
				}, signal);
			const delayMs = await withTimeout(ask, ASK_MS, signal).catch(() => undefined);
			if (signal.aborted) throw CANCELLED.with({ tries: 0 });
			const now = performance.now();
			if (delayMs !== undefined) answeredAt = now;
			isSilent = delayMs === undefined && now >= answeredAt + (isSilent ? 0 : MAX_SILENCE_MS);
			if (delayMs === 0) return this.takenOverAt;
			if (isSilent || this.entries.isRefused) return now;
			if (isFirst) {
				logInfo(
					job.context,
					`Waiting for other workers to make a video of project "${this.projectId}"`,
				);
			}
			await pause(delayMs ?? ASK_MS, signal);
		}
	}

	/** @returns after which time it has to ask again: 0 if it has the turn, undefined without an answer */
	private async tryToTake(videos: AccountVideos): Promise<number | undefined> {
		// From here on, the turn has to be given up.
		this.recorded.add(this.wish);
		const period = this.getPeriod();
		let isAnswered = true;
		if (period > this.lastPeriod) {
			const delayMs = await this.takeOver(period, videos);
			if (delayMs !== 0) return delayMs;
		} else {
			const added = await this.renewNow(this.wish);
			if (added?.includes(this.wish) === false) {
				void this.giveUp(videos);
				return ASK_MS;
			}
			isAnswered = added !== undefined;
		}
		const isKnown = isAnswered && (await this.learnOwed());
		await this.removeOthers();
		return isKnown ? 0 : undefined;
	}

	/** Takes a turn that this process does not have. @returns the same */
	private async takeOver(period: number, videos: AccountVideos): Promise<number | undefined> {
		const busyMs = ASK_MS * (0.6 + Math.random() / 5);
		const [current = '', ...later] = this.listPeriods(period);
		const asked = await this.record([current, this.wish]);
		if (!asked?.includes(current)) return asked && busyMs;
		const last = this.listBits(true);
		const added = await this.entries.reserve(later, last);
		if (!added || !later.every((entry) => added.includes(entry))) return added && busyMs;
		for (const entry of [...later, ...this.listBits(false)]) this.recorded.add(entry);
		this.lastPeriod = period + later.length;
		this.renewing.abort();
		this.renewing = new AbortController();
		void this.renew(this.renewing.signal);
		if (last.some((entry) => added.includes(entry))) {
			this.takenOverAt = performance.now();
			const claim = videos.expect(this.projectId);
			videos.release(claim, true);
			this.assumed.push(() => {
				videos.release(claim, false);
			});
			// The other process may have recorded the same since.
			for (const entry of [...this.toOwed(0), ...this.toOwed(1)]) this.recorded.delete(entry);
		}
		return 0;
	}

	/** Learns whether another process is owed a video, as is assumed until there is an answer. @returns whether there is one */
	private async learnOwed(): Promise<boolean> {
		if (this.assumed.length === 0) return true;
		let isOwed = false;
		for (const [entry, sure] of [this.toOwed(0), this.toOwed(1)]) {
			// It was new when this process asked before.
			if (this.recorded.has(sure)) continue;
			const added = await this.record([entry]);
			const isNew = added?.length === 0 ? await this.record([sure]) : added;
			if (isNew === undefined) return false;
			isOwed ||= isNew.length === 0;
		}
		if (!isOwed) for (const end of this.assumed) end();
		this.assumed = [];
		return true;
	}

	/** Removes what was recorded to take the turn or to ask, the bits of others, and what killed processes have left. */
	private async removeOthers(): Promise<void> {
		const period = this.getPeriod();
		const turn = this.listPeriods(period);
		const others = [...this.recorded].filter((entry) => !turn.includes(entry));
		const left = [...this.listPeriods(period - PERIODS), ...this.toOwed(2), ...this.toOwed(3)];
		await this.entries.remove([...others, ...left]);
	}

	/** Leaves the turn, which ends with its last item. */
	async leave(videos: AccountVideos): Promise<void> {
		this.items -= 1;
		if (this.items > 0) return;
		workersTurns.delete(this.lane);
		await this.giveUp(videos);
	}

	/** Ends the turn, if it was asked for. Another process must not take a video for its own that may still appear. */
	async giveUp(videos: AccountVideos): Promise<void> {
		if (this.recorded.size === 0) return;
		const end = async () => {
			this.renewing.abort();
			// What another process has recorded since must stay.
			const isLost = this.getPeriod() > this.lastPeriod;
			const isOthers = (entry: string) => isLost && /^(A video|Bit) /.test(entry);
			this.lastPeriod = -Infinity;
			// At a service that tells, this process goes on without turns.
			if (videos.knownService.isTelling || videos.isOwed(this.projectId)) {
				const owed = this.toOwed(0);
				await this.entries.record(owed);
				for (const entry of owed) this.recorded.delete(entry);
			}
			await this.entries.remove([...this.recorded].filter((entry) => !isOthers(entry)));
			this.recorded.clear();
		};
		const endInTurn = async () => {
			await this.entries.inTurn(end);
		};
		await withTimeout(endInTurn, MAX_END_MS).catch(() => undefined);
	}

	/** Renews the turn at the beginning of each period. Items in the making do not wait for it. */
	private async renew(signal: AbortSignal): Promise<void> {
		// A turn that was taken over at the end of a period is one period shorter.
		let isRenewed = this.getPeriod() + PERIODS - 1 <= this.lastPeriod;
		// A timer may be early by a few milliseconds, in the period that ends.
		const getLeftMs = () => PERIOD_MS + 50 - ((Date.now() + this.phaseMs) % PERIOD_MS);
		while (await pause(isRenewed ? getLeftMs() : RENEW_AGAIN_MS, signal)) {
			isRenewed = await this.entries.inTurn(async () => {
				// Another process may have it by now.
				if (this.getPeriod() > this.lastPeriod) this.renewing.abort();
				return !signal.aborted && (await this.renewNow()) !== undefined;
			});
		}
	}

	/** Records the turn for the present period and the next ones. */
	private async renewNow(...others: string[]): Promise<string[] | undefined> {
		const period = this.getPeriod();
		const periods = this.listPeriods(period);
		for (const entry of periods) this.recorded.add(entry);
		const added = await this.record([...periods, ...others]);
		if (added) this.lastPeriod = period + PERIODS - 1;
		return added;
	}

	private async record(entries: string[]): Promise<string[] | undefined> {
		const added = await this.entries.record(entries);
		for (const entry of added ?? []) this.recorded.add(entry);
		return added;
	}

	private getPeriod(): number {
		return Math.floor((Date.now() + this.phaseMs) / PERIOD_MS);
	}

	/** The entry of a process that waits for the turn of another one. */
	private get wish(): string {
		return `A wish for the turn of ${this.lane}`;
	}

	/** The entries of a period and the next ones. */
	private listPeriods(period: number): string[] {
		return Array.from({ length: PERIODS }, (_, i) => `The turn of ${this.lane} in ${period + i}`);
	}

	/** The entries of the bits of this process as the last one that had the turn, or of the opposite bits. */
	private listBits(isOwn: boolean): string[] {
		const last = `the last process that had the turn of ${this.lane}`;
		return ownNumber.map((bit, place) => `Bit ${place} of ${last} is ${bit === isOwn}`);
	}

	/** The entries that say that a video is owed. Asking records the first one, which a killed process may leave alone. */
	private toOwed(halfHoursAgo: number): [string, string] {
		const halfHour = Math.floor(Date.now() / OWED_MS) - halfHoursAgo;
		const entry = `A video of ${this.lane} is owed in ${halfHour}`;
		return [entry, `${entry} for sure`];
	}
}
