import { untilAborted } from '../api/pacing';
import { CANCELLED } from '../failures/failure';
import { logInfo, type Run } from '../item/job';
import type { FinishedVideo } from '../waiting/waitForVideo';
import type { VideoJob } from './sendAdd';

/**
 * By service and project. All executions share them: the API tells a finished video from others by its project and
 * time alone, so those of a project are made one after the other, unless the service tells more.
 */
const lanes = new Map<string, Lane>();

/** What each service tells, by its address, for as long as this process lives. */
const services = new Map<string, Telling>();

/** How many videos of a project are made at the same time where the service tells them apart. */
const TOLD_AT_ONCE = 10;

/** The place of an item whose video is being made, or waits for that. */
interface Place {
	run: Run;
	/** How many videos of the project may be made at the same time; undefined for as many as can be told apart. */
	max: number | undefined;
}

/**
 * Waits until the item's video can be made. A paid video is being made already, so it takes a place at once.
 *
 * @returns the item's lane, and its place, which it has to leave
 * @throws a RequestFailure of the kind `cancelled` when the run ends while the item waits
 */
export async function enterLane(
	job: VideoJob,
	max: number | undefined,
): Promise<{ lane: Lane; place: Place }> {
	const { ledger, open, order, run } = job;
	const projectId = ledger.state.projectId ?? order.body.projectId ?? '';
	const { baseUrl } = await open();
	const telling = services.get(baseUrl) ?? new Telling();
	services.set(baseUrl, telling);
	for (const [key, lane] of lanes) if (lane.isOver()) lanes.delete(key);
	const key = JSON.stringify([baseUrl, projectId]);
	const lane = lanes.get(key) ?? new Lane(telling);
	lanes.set(key, lane);
	const place = { run, max };
	if (ledger.isPaid) lane.running.add(place);
	else await lane.wait(job, place);
	return { lane, place };
}

/** A single slow video must not keep the items of a project from being sent for longer. */
const KEPT_FOR_MS = 3_600_000;

/** So many videos of a project count. */
const VIDEOS_KEPT = 10;

/** The videos of one project that are being made, the items that wait for a place, and how long the last videos took. */
class Lane {
	readonly running = new Set<Place>();

	/** By run, in the order of their turns. A run whose item begins goes to the end, so several runs alternate. */
	private readonly waiting = new Map<Run, { place: Place; begin: () => void }[]>();

	/** How long the last videos took, from their adds to their outputs, the newest last. */
	private times: { tookMs: number; endedAt: number }[] = [];

	constructor(private readonly telling: Telling) {}

	/** Whether the service cannot be expected to tell its videos apart. */
	get isSilent(): boolean {
		return !this.telling.isExpected;
	}

	/** Waits for a place. @throws a RequestFailure when the run ends meanwhile */
	async wait(job: VideoJob, place: Place): Promise<void> {
		const { order, run } = job;
		const turn = new Promise<void>((begin) => {
			this.waiting.set(run, [...(this.waiting.get(run) ?? []), { place, begin }]);
		});
		this.beginNext();
		const isNext = this.waiting.get(run)?.[0]?.place === place;
		if (isNext && this.running.size > 0 && this.count(run) === 0) {
			const project = JSON.stringify(order.body.projectId ?? '');
			logInfo(job, `Waiting for other executions that make videos of project ${project}`);
		}
		try {
			await untilAborted(turn, run.signal);
		} catch {
			// A run that ends takes all of its items with it.
			this.waiting.delete(run);
			this.leave(place);
			throw CANCELLED.with({ tries: 0 });
		}
	}

	/** Learns from a video whether the service itself tells which video is an item's. */
	learn({ run }: Place, { isTold }: FinishedVideo): void {
		if (isTold !== undefined) this.telling.learn(isTold);
		if (isTold) run.videosAtOnce += 1;
	}

	leave(place: Place): void {
		this.running.delete(place);
		this.beginNext();
	}

	/** How long the longest of the last videos took; undefined where none is known. */
	get longestMs(): number | undefined {
		const since = performance.now() - KEPT_FOR_MS;
		this.times = this.times.filter(({ endedAt }) => endedAt > since);
		const times = this.times.map(({ tookMs }) => tookMs);
		return times.length === 0 ? undefined : Math.max(...times);
	}

	/** Notes how long a video took. */
	noteTime(tookMs: number): void {
		const time = { tookMs, endedAt: performance.now() };
		this.times = [...this.times, time].slice(-VIDEOS_KEPT);
	}

	/** Notes that a video took longer than a time, which says nothing if another one did as well. */
	noteMinimum(tookMs: number): void {
		if (tookMs > (this.longestMs ?? 0)) this.noteTime(tookMs);
	}

	/** Whether nothing is left of it that the next execution has to know. */
	isOver(): boolean {
		return this.running.size + this.waiting.size === 0 && this.longestMs === undefined;
	}

	private beginNext(): void {
		for (const [run, [next, ...others]] of this.waiting) {
			if (next === undefined || this.isWaitingForOwn(next.place)) continue;
			if (this.running.size >= this.getPlaces(next.place)) break;
			this.waiting.delete(run);
			if (others.length > 0) this.waiting.set(run, others);
			this.running.add(next.place);
			next.begin();
		}
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

/** Where a service has failed to tell a video, it must tell this many times as many in a row, up to the maximum. */
const REQUIRED_FACTOR = 4;
const MAX_REQUIRED = 16;

/**
 * Whether a service tells which video is an item's: by its address in the item's progress, or by its queue ID in the
 * list of videos. The specification promises neither.
 */
export class Telling {
	private toldInARow = 0;

	/** How many in a row it must tell to count as one that tells. */
	private required = 1;

	/** Whether it can be expected to tell the next videos. */
	get isExpected(): boolean {
		return this.toldInARow >= this.required;
	}

	/** @param isTold whether it has told which video a finished item's is */
	learn(isTold: boolean): void {
		this.toldInARow = isTold ? this.toldInARow + 1 : 0;
		if (!isTold) this.required = Math.min(this.required * REQUIRED_FACTOR, MAX_REQUIRED);
	}
}
