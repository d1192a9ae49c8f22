import { createSlots, untilAborted } from '../api/pacing';
import { CANCELLED } from '../failures/failure';
import type { Job, Run } from '../item/job';
import { logInfo } from '../item/job';
import type { Telling } from '../waiting/telling';
import { getTelling } from '../waiting/telling';
import type { FinishedVideo } from '../waiting/waitForVideo';
import type { VideoOrder } from './order';

/**
 * The lanes of this process, each only while anything is in it. All executions share them: the API tells a
 * finished video from others by its project and time alone, so those of a project are made one after the other,
 * unless the service tells more.
 */
const lanes = new Map<string, Lane>();

/** How many videos of a project are made at the same time where the service tells them apart. */
const TOLD_AT_ONCE = 10;

/**
 * Waits until the item's video can be made. A paid video is being made already, so it takes a place at once.
 *
 * @param max how many videos of the project may be made at the same time; undefined for as many as can be told apart
 * @returns the item's place, which it has to leave
 * @throws a RequestFailure of the kind `cancelled` when the run ends while the item waits
 */
export async function enterLane(job: Job<VideoOrder>, max: number | undefined): Promise<Place> {
	const { ledger, open, order, run } = job;
	const projectId = ledger.state.projectId ?? order.body.projectId ?? '';
	const { baseUrl } = await open();
	const key = JSON.stringify([baseUrl, projectId]);
	const lane = lanes.get(key) ?? new Lane(getTelling(baseUrl), () => lanes.delete(key));
	lanes.set(key, lane);
	const place = new Place(lane, run, max);
	if (ledger.isPaid) lane.running.add(place);
	else {
		await lane.wait(place, () => {
			const project = JSON.stringify(projectId);
			logInfo(job, `Waiting for other executions that make videos of project ${project}`);
		});
	}
	return place;
}

/** An item's place in a lane: its video is being made, or waits for that. */
export class Place {
	/** When its add was sent, by `performance.now()`; undefined if this try has not paid for it. */
	sentAt: number | undefined;

	constructor(
		private readonly lane: Lane,
		readonly run: Run,
		readonly max: number | undefined,
	) {}

	/** Sends an add. Those of a lane are sent one at a time. @throws a RequestFailure when the run ends meanwhile */
	async takeTurn(add: () => Promise<void>): Promise<void> {
		await this.lane.takeTurn(add, this.run.signal);
	}

	/** How long the last video of the project took, from its add to its output; undefined where none is known. */
	get lastMs(): number | undefined {
		return this.lane.lastMs;
	}

	/** Learns from its video whether the service itself tells which video is an item's, and how long one takes. */
	learn({ isTold }: FinishedVideo): void {
		const { lane, run, sentAt } = this;
		if (sentAt !== undefined) lane.lastMs = performance.now() - sentAt;
		if (isTold === undefined) return;
		lane.telling.learn(isTold);
		if (isTold) run.videosAtOnce += 1;
	}

	leave(): void {
		this.lane.running.delete(this);
		this.lane.beginNext();
	}
}

/** The videos of one project that are being made, and the items that wait for a place. */
class Lane {
	readonly running = new Set<Place>();

	readonly takeTurn = createSlots(1);

	lastMs: number | undefined;

	/** By run, in the order of their turns. A run whose item begins goes to the end, so several runs alternate. */
	private readonly waiting = new Map<Run, { place: Place; begin: () => void }[]>();

	constructor(
		readonly telling: Telling,
		private readonly drop: () => void,
	) {}

	/** @param onWait called if the place is taken by other executions */
	async wait(place: Place, onWait: () => void): Promise<void> {
		const { run } = place;
		const turn = new Promise<void>((begin) => {
			this.waiting.set(run, [...(this.waiting.get(run) ?? []), { place, begin }]);
		});
		this.beginNext();
		const isNext = this.waiting.get(run)?.[0]?.place === place;
		if (isNext && this.running.size > 0 && this.count(run) === 0) onWait();
		try {
			await untilAborted(turn, run.signal);
		} catch {
			// A run that ends takes all of its items with it.
			this.waiting.delete(run);
			this.running.delete(place);
			this.beginNext();
			throw CANCELLED.with({ tries: 0 });
		}
	}

	beginNext(): void {
		for (const [run, [next, ...others]] of this.waiting) {
			if (next === undefined || this.isWaitingForOwn(next.place)) continue;
			if (this.running.size >= this.getPlaces(next.place)) break;
			this.waiting.delete(run);
			if (others.length > 0) this.waiting.set(run, others);
			this.running.add(next.place);
			next.begin();
		}
		if (this.running.size === 0 && this.waiting.size === 0) this.drop();
	}

	/** A run begins with one video, and each that is told makes room for one more: a broken project costs one. */
	private isWaitingForOwn({ run, max }: Place): boolean {
		return max === undefined && this.count(run) >= run.videosAtOnce;
	}

	/** As many as its own option and those of the videos that are being made allow. */
	private getPlaces(next: Place): number {
		const ofService = this.telling.isExpected ? TOLD_AT_ONCE : 1;
		return Math.min(...[next, ...this.running].map(({ max = ofService }) => max));
	}

	private count(run: Run): number {
		return [...this.running].filter((place) => place.run === run).length;
	}
}
