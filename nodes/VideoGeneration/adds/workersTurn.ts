/*
 * n8n's worker processes share no memory, but n8n's deduplication store. It only says which of some texts are new, while it
 * records them, and it reads and writes all records of a workflow as a whole: of two writes at once, one is lost.
 *
 * - The turn of a lane, in a workflow, is a record for each period of ten seconds. A process begins one if the records of
 *   this period and of the next ones were new to it, and n8n kept them. It records them again and again: a lost write does no
 *   harm, clocks may differ by two periods, and the turn of a killed process ends by itself. If a write takes seconds, two may
 *   have it.
 * - A process that waits asks every few seconds, and leaves a wish. The process that has the turn keeps it for its further
 *   items until it finds a wish, or makes a video of the lane for another workflow. It removes its records, and looks whether
 *   n8n kept that.
 * - Another process may have had the turn before: what the list of videos shows when a turn begins is no video of it.
 * - A turn records from its start that a video may be owed, and removes that at its end if none is; a killed process leaves
 *   it. If another turn has left it, or once the turn is lost, an item that leaves the queue is given only what is certain.
 */

import { pause } from '../api/pacing';
import { CANCELLED } from '../failures/failure';
import type { Job } from '../item/job';
import { MAX_END_MS, MAX_SILENCE_MS, Records } from '../n8n/records';
import { isOnWorker, logInfo } from '../n8n/execution';
import { type KeyVideos, OWED_MS } from '../waiting/accountVideos';

/** A turn is recorded for the next minute, again every 15 seconds: one write may be lost, and clocks may differ by two periods. */
const PERIOD_MS = 10_000;
const PERIODS = 6;
const RENEW_MS = 15_000;

/** How long an answer is waited for, and after which time a process that has given up its turn asks again; the others sooner. */
const ASK_MS = 6_500;

/** By workflow and lane: those that items of this process have or wait for. */
const workersTurns = new Map<string, WorkersTurn>();

/** Whether n8n's store is silent: this process goes on without turns until it answers. */
let isSilent = false;

/** Joins the turn in which an item's video is made, which the caller leaves; none for a paid one, or where none is kept. */
export async function joinTurn(job: Job<{ body: { projectId?: string } }>, videos: KeyVideos) {
	const { context, ledger, order } = job;
	if (ledger.isPaid || !isOnWorker(context) || !Records.areKept(context)) return undefined;
	const { projectId = '' } = order.body;
	const { baseUrl } = await job.open();
	const lane = JSON.stringify([baseUrl, projectId]);
	const key = JSON.stringify([context.getWorkflow().id, lane]);
	const records = new Records(context, 'workflow');
	const turn = workersTurns.get(key) ?? new WorkersTurn(key, lane, projectId, records);
	workersTurns.set(key, turn);
	turn.items += 1;
	turn.videos.add(videos);
	return turn;
}

/** Since when an item's process has the turn, and a signal that is aborted if a video of another process may appear. */
export interface BegunTurn {
	at: number;
	unsure: AbortSignal;
}

/** The turn in which a workflow makes the videos of one project. */
export class WorkersTurn {
	/** How many items of this process are made in it, or wait for that. */
	items = 0;
	/** The videos of their keys. */
	readonly videos = new Set<KeyVideos>();
	/** Whether there may be records of it to be removed. */
	private hasAsked = false;
	/** This process has the turn until the end of this period. */
	private lastPeriod = -Infinity;
	private begun: BegunTurn = { at: -Infinity, unsure: AbortSignal.abort() };
	/** Aborted when the turn ends or is lost: it is not renewed then, and its videos are not sure. */
	private renewing = new AbortController();
	/** The records of owed videos that are this turn's, which removes them. */
	private owed: string[] = [];

	/** Recorded with the turn: at its end, it tells whether n8n kept that it was removed. Killed processes leave 100 at most. */
	private readonly mark: string;

	/** @param records of the workflow: the unique keys are in the row of the node, where a turn would overwrite them */
	constructor(
		private readonly key: string,
		private readonly lane: string,
		private readonly projectId: string,
		private readonly records: Records,
	) {
		this.mark = `A turn of ${lane}: ${Math.floor(Math.random() * 100)}`;
	}

	/** One text for all processes that wait for the turn of another one. */
	private readonly getWish = () => `A wish for the turn of ${this.lane}`;

	/** The records of a turn from one period to another. The present one is 0, past ones are negative. */
	private readonly listPeriods = (first: number, last: number) =>
		list(`The turn of ${this.lane} in`, PERIOD_MS, first, last);

	/** The records of owed videos, by half hours in the same way. */
	private readonly listOwed = (first: number, last: number) =>
		list(`A video of ${this.lane} is owed in`, OWED_MS, first, last);

	/** The wish, and what killed processes have left: periods of the last hour, and owed videos of the last day. */
	private readonly listWishAndPast = () => [
		this.getWish(),
		...this.listPeriods(-360, -PERIODS),
		...this.listOwed(-48, -2),
	];

	/** Waits until this process has the turn. @throws `CANCELLED` when the run ends first */
	async take(job: Job): Promise<BegunTurn> {
		const { signal } = job.run;
		// Items of other workflows wait for this item's place, and would keep a turn that another process waits for.
		const ofLane = [...workersTurns.values()].filter((each) => each.lane === this.lane);
		const giveUpOther = async (each: WorkersTurn) => {
			if (each !== this) await each.giveUp();
		};
		await Promise.all(ofLane.map(giveUpOther));
		let answeredAt = performance.now();
		for (let isFirst = true; ; isFirst = false) {
			// `alone` gives up waiting, but the ask stays in line: if it begins later, its item may have ended.
			const ask = async (end: AbortSignal) => (end.aborted ? undefined : await this.ask());
			const delayMs = await this.records.alone(ask, ASK_MS, signal).catch(() => undefined);
			if (signal.aborted) throw CANCELLED.with({ tries: 0 });
			const now = performance.now();
			if (delayMs !== undefined) [answeredAt, isSilent] = [now, false];
			isSilent ||= now >= answeredAt + MAX_SILENCE_MS;
			if (delayMs === 0) return this.begun;
			if (isSilent || this.records.isRefused) return { at: now, unsure: AbortSignal.abort() };
			const text = `Waiting for other workers to make a video of project "${this.projectId}"`;
			if (isFirst) logInfo(job.context, text);
			await pause(delayMs ?? ASK_MS, signal);
		}
	}

	/** @returns after which time it has to ask again: 0 if it has the turn, undefined without an answer */
	private async ask(): Promise<number | undefined> {
		this.hasAsked = true;
		const period = getPeriod();
		const delayMs = period <= this.lastPeriod ? await this.goOn() : await this.begin(period);
		if (delayMs === 0) await this.records.remove(this.listWishAndPast());
		return delayMs;
	}

	/** Goes on with the turn for an item, unless another process waits for it. @returns what `ask` does */
	private async goOn(): Promise<number | undefined> {
		const added = await this.renew(this.getWish());
		if (!added) return undefined;
		// If the wish is new, no other process waits: this one has just recorded it.
		if (added.includes(this.getWish())) return 0;
		// Not awaited: it waits for the row, which this ask still has.
		void this.giveUp();
		return ASK_MS;
	}

	/** Begins a turn, unless another process has it. @returns what `ask` does */
	private async begin(period: number): Promise<number | undefined> {
		// Sooner than one that has given up its turn, and not all at once.
		const busyMs = ASK_MS * (0.6 + Math.random() / 5);
		const [present = '', ...later] = this.listPeriods(0, PERIODS - 1);
		// One write asks, and leaves the wish: only a turn that is free is worth a reservation.
		const asked = await this.records.record([present, this.getWish()]);
		if (!asked?.includes(present)) return asked && busyMs;
		// A video that was recorded in the half hour before may still be owed.
		const owed = this.listOwed(-1, 0);
		// If not all periods are free, this takes back what it has recorded; the present one ends by itself.
		const added = await this.records.reserve(later, [...owed, this.mark]);
		if (!added || !later.every((text) => added.includes(text))) return added && busyMs;
		this.lastPeriod = period + later.length;
		this.owed = owed.filter((text) => added.includes(text));
		this.renewing.abort();
		this.renewing = new AbortController();
		// One that was recorded before is of another turn: its video may appear.
		const unsure = this.owed.length < owed.length ? AbortSignal.abort() : this.renewing.signal;
		this.begun = { at: performance.now(), unsure };
		void this.keepRenewing(this.renewing);
		return 0;
	}

	/** Renews the turn. */
	private async keepRenewing(renewing: AbortController): Promise<void> {
		const renew = async (end: AbortSignal) =>
			end.aborted || getPeriod() > this.lastPeriod ? undefined : await this.renew();
		while (await pause(RENEW_MS, renewing.signal)) {
			// Another process may have it by now.
			if (getPeriod() > this.lastPeriod) renewing.abort();
			else await this.records.alone(renew, PERIOD_MS, renewing.signal).catch(() => undefined);
		}
	}

	/** Records the turn for this period and the next ones. @returns what is new of that; undefined without an answer */
	private async renew(...others: string[]): Promise<string[] | undefined> {
		const last = getPeriod() + PERIODS - 1;
		// A turn may go on into the next half hour.
		const owed = this.listOwed(0, 0);
		const texts = [...this.listPeriods(0, PERIODS - 1), ...owed, ...others];
		const added = await this.records.record(texts);
		if (added) this.lastPeriod = last;
		// One that is not new is this turn's own from before, or was left by a process that has lost the race for a sure turn.
		const isSure = !this.begun.unsure.aborted;
		const own = owed.filter((text) => isSure || added?.includes(text));
		this.owed = [...new Set([...this.owed, ...own])];
		return added;
	}

	/** Leaves the turn, which ends with its last item. */
	async leave(): Promise<void> {
		this.items -= 1;
		if (this.items > 0) return;
		workersTurns.delete(this.key);
		await this.giveUp();
	}

	/** Ends the turn, if it was asked for. */
	async giveUp(): Promise<void> {
		if (!this.hasAsked) return;
		this.hasAsked = false;
		const end = async () => {
			this.renewing.abort();
			// Below 0, another process may have the turn, and have recorded the same.
			const left = this.lastPeriod - getPeriod();
			// At a service that tells, this process goes on without turns: its videos may appear at any time.
			const mayAppear = [...this.videos].some(
				(videos) => videos.knownService.isTelling || videos.isOwed(this.projectId),
			);
			const settled = mayAppear ? [] : this.owed;
			// A process that has lost the race for it, and whose clock is ahead, may have left two more periods by mistake.
			const own = [...settled, ...this.listPeriods(1 - PERIODS, left + 2)];
			this.lastPeriod = -Infinity;
			if (left < 0) await this.records.remove(this.listWishAndPast());
			else await this.records.release(this.mark, [...own, ...this.listWishAndPast()]);
		};
		await this.records.alone(end, MAX_END_MS).catch(() => undefined);
	}
}

const getPeriod = () => Math.floor(Date.now() / PERIOD_MS);

/** Records with the numbers of times of a length. */
function list(text: string, lengthMs: number, first: number, last: number): string[] {
	const now = Math.floor(Date.now() / lengthMs);
	return Array.from({ length: last - first + 1 }, (_, i) => `${text} ${now + first + i}`);
}
