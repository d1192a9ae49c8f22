import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { pause, Turns, withTimeout } from '../api/pacing';
import { hashText } from '../api/response';
import { CANCELLED } from '../failures/failure';
import { logInfo } from '../item/job';
import type { AccountVideos } from '../waiting/accountVideos';
import { Entries } from './entries';
import type { VideoJob } from './sendAdd';

/**
 * A turn is recorded for several periods, and renewed in each: n8n may lose one record of it, clocks may differ by a
 * period, and the turn of a killed process is over after a minute.
 */
const PERIOD_MS = 20_000;
const PERIODS = 3;

/** How often a process that waits for a turn asks for it. One that has given it up asks later than the others. */
const ASK_MS = 5_000;
const ASK_AGAIN_MS = 6_500;

/** A turn that could not be renewed is renewed after this time. */
const RENEW_AGAIN_MS = 1_000;

/** A video is owed for half an hour. */
const OWED_MS = 1_800_000;

/** A call to n8n's store that takes longer counts as unanswered. */
const MAX_CALL_MS = 10_000;

/** After so long without an answer, this process goes on without turns until the store answers. */
const MAX_SILENCE_MS = 120_000;

/** An item that ends does not wait longer for the end of its turn. */
const MAX_END_MS = 500;

/** The number of this process, of eight octal digits. The next one removes those that differ from its own. */
const DIGITS = ['0', '1', '2', '3', '4', '5', '6', '7'];
const ownNumber = DIGITS.map(() => DIGITS[Math.floor(Math.random() * DIGITS.length)] ?? '');

const toSure = (entry: string) => `${entry} for sure`;

/** By workflow, service and project: those that items of this process have or wait for. */
const turns = new Map<string, WorkersTurn>();

/** The items that wait for each of them: the first one asks. */
const waiting = new Turns();

/** Whether this process goes on without turns. */
let isStoreSilent = false;

/**
 * Joins the turn of workers in which the item's video is made: the processes of n8n share no memory, but n8n's store
 * of entries. The caller has to leave it.
 *
 * @returns undefined for a video that is being made already, and where n8n keeps no entries
 */
export async function joinTurn(job: VideoJob): Promise<WorkersTurn | undefined> {
	const { context, ledger, order } = job;
	if (ledger.isPaid || !Entries.areKept(context)) return undefined;
	const { baseUrl } = await job.open();
	const lane = JSON.stringify([baseUrl, order.body.projectId]);
	const key = JSON.stringify([context.getWorkflow().id, lane]);
	const turn = turns.get(key) ?? new WorkersTurn(key, lane, context);
	turns.set(key, turn);
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

	/** Of the workflow: the unique keys are in the row of the node, where a turn would overwrite them. */
	private readonly entries: Entries;

	/** Periods begin at another moment for each turn, since all processes would write at the same one. */
	private readonly phaseMs: number;

	private isAsked = false;

	/** This process has the turn until the end of this period. */
	private lastPeriod = -Infinity;

	/** The periods that it has recorded. */
	private readonly recorded = new Set<string>();

	/** Entries that were recorded by asking for them. They are removed twice, since another process may restore them. */
	private readonly asked = new Set<string>();

	private renewing = new AbortController();

	constructor(
		private readonly key: string,
		private readonly lane: string,
		context: IExecuteSingleFunctions,
	) {
		this.entries = new Entries(context, 'workflow');
		this.phaseMs = hashText(lane) % PERIOD_MS;
	}

	/**
	 * Waits until this process has the turn, which it keeps from item to item until another one wishes for it.
	 *
	 * @returns since when it has the turn or goes on without, by `performance.now()`; undefined if no other process had
	 * the turn meanwhile
	 * @throws a RequestFailure of the kind `cancelled` when the run ends first
	 */
	async take(job: VideoJob, videos: AccountVideos): Promise<number | undefined> {
		return await waiting.take(this.key, async () => await this.ask(job, videos), job.run.signal);
	}

	private async ask(job: VideoJob, videos: AccountVideos): Promise<number | undefined> {
		const { signal } = job.run;
		const { projectId = '' } = job.order.body;
		let answeredAt = performance.now();
		this.isAsked = true;
		for (let isFirst = true; ; isFirst = false) {
			const ask = async () =>
				await this.entries.inTurn(async () => await this.tryToTake(projectId, videos), signal);
			const maxMs = isStoreSilent ? ASK_MS : MAX_CALL_MS;
			const state = await withTimeout(ask, maxMs, signal).catch(() => undefined);
			if (signal.aborted) throw CANCELLED.with({ tries: 0 });
			const now = performance.now();
			if (state === 'kept') return undefined;
			if (state === 'taken') return now;
			if (state !== undefined) answeredAt = now;
			isStoreSilent ||= now >= answeredAt + MAX_SILENCE_MS;
			if (isStoreSilent || this.entries.isRefused) return now;
			if (isFirst) {
				logInfo(job, `Waiting for other workers to make a video of project "${projectId}"`);
			}
			await pause(state === 'given' ? ASK_AGAIN_MS : ASK_MS * (0.8 + Math.random() / 5), signal);
		}
	}

	/** @returns undefined without an answer */
	private async tryToTake(
		projectId: string,
		videos: AccountVideos,
	): Promise<'kept' | 'taken' | 'given' | 'busy' | undefined> {
		const period = this.getPeriod();
		if (period <= this.lastPeriod) return await this.keep(period, videos.isOwed(projectId));
		const [now = '', ...next] = this.listEntries(period);
		const isFree = await this.record([now, this.wish]);
		if (!isFree?.includes(now)) return isFree && 'busy';
		const last = ownNumber.map((digit, index) => this.toLast(index, digit));
		const owed = [0, 1].map((halfHours) => this.toOwed(halfHours));
		const isNew = await this.entries.claim(next, [...last, ...owed]);
		if (!isNew || !next.every((entry) => isNew.includes(entry))) return isNew && 'busy';
		for (const entry of [now, ...next]) this.recorded.add(entry);
		this.lastPeriod = period + next.length;
		this.renewing.abort();
		this.renewing = new AbortController();
		void this.renew(this.renewing.signal);
		const wasOthers = last.some((entry) => isNew.includes(entry));
		// What this process is owed itself, it knows better.
		if ((await this.isOwed(isNew)) && wasOthers) videos.expectOfOthers(projectId);
		const all = DIGITS.flatMap((digit) => DIGITS.map((_, index) => this.toLast(index, digit)));
		await this.remove([
			this.wish,
			...this.asked,
			...all.filter((entry) => !last.includes(entry)),
			// What killed processes have left.
			...this.listEntries(period - PERIODS),
			...[2, 3].flatMap((ago) => [this.toOwed(ago), toSure(this.toOwed(ago))]),
		]);
		return wasOthers ? 'taken' : 'kept';
	}

	/** Keeps the turn for the next item, unless another process wishes for it. */
	private async keep(period: number, isOwed: boolean) {
		const isNew = await this.recordPeriods(period, [this.wish]);
		if (isNew?.includes(this.wish)) await this.remove([this.wish]);
		else if (isNew) await this.end(isOwed);
		return isNew && (isNew.includes(this.wish) ? 'kept' : 'given');
	}

	/**
	 * Whether a video is owed to another process: an entry alone may be left of a question that was overwritten.
	 *
	 * @param isNew the entries that were new when all of them were recorded
	 */
	private async isOwed(isNew: string[]): Promise<boolean> {
		const entries = [0, 1].map((halfHours) => this.toOwed(halfHours));
		const found = entries.filter((entry) => !isNew.includes(entry));
		const isNewToo = found.length > 0 ? await this.record(found.map(toSure)) : [];
		const owed = found.filter((entry) => isNewToo?.includes(toSure(entry)) !== true);
		for (const entry of entries) {
			if (!owed.includes(entry)) this.asked.add(entry).add(toSure(entry));
		}
		return owed.length > 0;
	}

	/** Leaves the turn, which ends with its last item. */
	async leave(projectId: string | undefined, videos: AccountVideos): Promise<void> {
		this.items -= 1;
		if (this.items > 0) return;
		turns.delete(this.key);
		await this.giveUp(videos.isOwed(projectId));
	}

	/** Ends the turn, if it was asked for. */
	async giveUp(isOwed: boolean): Promise<void> {
		if (!this.isAsked) return;
		this.isAsked = false;
		this.renewing.abort();
		const end = async () => {
			await this.entries.inTurn(async () => {
				await this.end(isOwed);
			});
		};
		await withTimeout(end, MAX_END_MS).catch(() => undefined);
	}

	/** @param isOwed whether a video of its project may still appear, which another process must not take for its own */
	private async end(isOwed: boolean): Promise<void> {
		this.renewing.abort();
		this.lastPeriod = -Infinity;
		if (isOwed) {
			const owed = [this.toOwed(0), toSure(this.toOwed(0))];
			for (const entry of owed) this.asked.delete(entry);
			await this.record(owed);
		}
		await this.remove([...this.recorded, ...this.asked, this.wish]);
		this.recorded.clear();
		this.asked.clear();
	}

	/** Renews the turn at the beginning of each period. Items in the making do not wait for it. */
	private async renew(signal: AbortSignal): Promise<void> {
		let isRenewed = true;
		while (await pause(isRenewed ? this.getLeftMs() : RENEW_AGAIN_MS, signal)) {
			isRenewed = await this.entries.inTurn(async () => {
				const period = this.getPeriod();
				// Another process may have it by now.
				if (period > this.lastPeriod) this.renewing.abort();
				return !signal.aborted && (await this.recordPeriods(period)) !== undefined;
			});
		}
	}

	private async recordPeriods(
		period: number,
		others: string[] = [],
	): Promise<string[] | undefined> {
		const entries = this.listEntries(period);
		for (const entry of entries) this.recorded.add(entry);
		const isNew = await this.record([...entries, ...others]);
		if (isNew) this.lastPeriod = period + PERIODS - 1;
		return isNew;
	}

	private async record(entries: string[]): Promise<string[] | undefined> {
		const isNew = await this.entries.record(entries);
		if (isNew) isStoreSilent = false;
		return isNew;
	}

	private async remove(entries: string[]): Promise<void> {
		await this.entries.remove(entries).catch(() => undefined);
	}

	private get wish(): string {
		return `A wish for the turn of ${this.lane}`;
	}

	/** The entries of a period and the next ones. */
	private listEntries(period: number): string[] {
		return Array.from({ length: PERIODS }, (_, i) => `The turn of ${this.lane} in ${period + i}`);
	}

	private toLast(index: number, digit: string): string {
		return `Digit ${index} of the last process that had the turn of ${this.lane} is ${digit}`;
	}

	private toOwed(halfHoursAgo: number): string {
		return `A video of ${this.lane} is owed in ${Math.floor(Date.now() / OWED_MS) - halfHoursAgo}`;
	}

	private getPeriod(): number {
		return Math.floor((Date.now() + this.phaseMs) / PERIOD_MS);
	}

	/** How long the present period lasts. */
	private getLeftMs(): number {
		return PERIOD_MS - ((Date.now() + this.phaseMs) % PERIOD_MS);
	}
}
