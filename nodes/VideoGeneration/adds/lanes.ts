import { untilAborted } from '../api/pacing';
import { addTo } from '../api/videoLog';
import { CANCELLED, isUnread } from '../failures/failure';
import type { Run } from '../item/job';
import { logInfo } from '../n8n/execution';
import type { KnownService } from '../waiting/accountVideos';
import type { FinishedVideo } from '../waiting/waitForVideo';
import type { VideoJob } from './sendAdd';

/** By service and project. The API tells a finished video from others of its project by the time alone. */
const lanes = new Map<string, Lane>();

/** How many videos of a project are made at the same time where the service tells them apart. */
const TOLD_AT_ONCE = 10;

/** How many more a run may make at once with each that it is told: 1, 4, 7, 10. */
const MORE_PER_TOLD = 3;

/** The place of an item whose video is being made, or waits for that. */
interface Place {
	run: Run;
	/** "Videos at Once"; undefined for as many as can be told apart. */
	videosAtOnce: number | undefined;
}

/**
 * Waits until the item's video can be made.
 *
 * @returns the item's lane, and its place, which it has to leave
 * @throws a RequestFailure of the kind `cancelled` when the run ends while the item waits
 */
export async function enterLane(
	job: VideoJob,
	videosAtOnce: number | undefined,
	knownService: KnownService,
): Promise<{ lane: Lane; place: Place }> {
	const { ledger, open, order, run } = job;
	const projectId = ledger.state.projectId ?? order.body.projectId ?? '';
	const { baseUrl } = await open();
	for (const [key, lane] of lanes) if (lane.isOver()) lanes.delete(key);
	const key = JSON.stringify([baseUrl, projectId]);
	const lane = lanes.get(key) ?? new Lane(knownService);
	lanes.set(key, lane);
	const place = { run, videosAtOnce };
	await lane.enter(job, place);
	return { lane, place };
}

/** How many of a project's last videos count, and for how long: a slow one keeps items from being sent. */
const VIDEOS_KEPT = 10;
const KEPT_FOR_MS = 3_600_000;

/** The videos of one project that are being made, the items that wait for a place, and how long the last videos took. */
class Lane {
	private readonly running = new Set<Place>();
	/** By run, in the order of their places. A run whose item begins goes to the end, so several runs alternate. */
	private readonly waiting = new Map<Run, { place: Place; begin: () => void }[]>();
	/** How long the last videos took, from their adds to their outputs, the newest last. */
	private times: { tookMs: number; endedAt: number }[] = [];

	constructor(private readonly knownService: KnownService) {}

	/** Waits for a place. A paid video is being made already, so it takes one at once. @throws when the run ends meanwhile */
	async enter(job: VideoJob, place: Place): Promise<void> {
		const { ledger, order, run } = job;
		if (ledger.isPaid) {
			this.running.add(place);
			return;
		}
		const begun = new Promise<void>((begin) => {
			addTo(this.waiting, run, { place, begin });
		});
		this.beginNext();
		const isNext = this.waiting.get(run)?.[0]?.place === place;
		if (isNext && this.count(run) === 0) {
			const project = JSON.stringify(order.body.projectId ?? '');
			logInfo(job.context, `Waiting for other executions that make videos of project ${project}`);
		}
		try {
			await untilAborted(begun, run.signal);
		} catch {
			// A run that ends takes all of its items with it.
			this.waiting.delete(run);
			this.leave(place);
			throw CANCELLED.with({ tries: 0 });
		}
	}

	/** Notes whether the service itself told which video is the item's. Each that it told lets its run make more at once. */
	noteWhetherTold({ run }: Place, { isTold = false, unidentified }: FinishedVideo): void {
		if (!isUnread(unidentified)) this.knownService.noteWhetherTold(isTold);
		if (isTold) run.toldAtOnce += MORE_PER_TOLD;
	}

	leave(place: Place): void {
		this.running.delete(place);
		this.beginNext();
	}

	/** How long a video usually takes: as long as the longest of the last ones. Undefined where none is known. */
	get usualMs(): number | undefined {
		const since = performance.now() - KEPT_FOR_MS;
		const times = this.times.filter(({ endedAt }) => endedAt > since);
		return times.length === 0 ? undefined : Math.max(...times.map(({ tookMs }) => tookMs));
	}

	/** Notes how long a video took that this try has added, or how much longer it takes at least: that counts if it is longer than usual. */
	noteTime(sentAt: number | undefined, moreMs = 0): void {
		if (sentAt === undefined) return;
		const endedAt = performance.now();
		const tookMs = endedAt - sentAt + moreMs;
		if (moreMs > 0 && tookMs <= (this.usualMs ?? 0)) return;
		this.times = [...this.times, { tookMs, endedAt }].slice(-VIDEOS_KEPT);
	}

	/** Whether nothing is left of it that the next execution has to know. */
	isOver(): boolean {
		return this.running.size + this.waiting.size === 0 && this.usualMs === undefined;
	}

	private beginNext(): void {
		for (const [run, [next, ...others]] of this.waiting) {
			if (next === undefined || this.isWaitingForOwn(next.place)) continue;
			// A run that may make more at once must not overtake it again and again.
			if (this.running.size >= this.getPlaces(next.place)) break;
			this.waiting.delete(run);
			if (others.length > 0) this.waiting.set(run, others);
			this.running.add(next.place);
			next.begin();
		}
	}

	/** A run begins with one video, so that a project whose videos all fail costs one. */
	private isWaitingForOwn({ run, videosAtOnce }: Place): boolean {
		return videosAtOnce === undefined && this.count(run) >= run.toldAtOnce;
	}

	/** How many videos may be made at once: the least that the next one and those being made allow. */
	private getPlaces(next: Place): number {
		const ofService = this.knownService.isTelling ? TOLD_AT_ONCE : 1;
		return Math.min(...[next, ...this.running].map(({ videosAtOnce = ofService }) => videosAtOnce));
	}

	private count(run: Run): number {
		return [...this.running].filter((place) => place.run === run).length;
	}
}
