import { hashText } from '../api/hash';
import { onAbort } from '../api/pacing';
import { CANCELLED } from '../failures/failure';
import type { Job, Run } from '../item/job';
import { logInfo } from '../item/job';
import type { VideoOrder } from './order';

type VideoJob = Job<VideoOrder>;

/**
 * The lanes of this process, each only while anything is in it. All executions share them: the API tells a
 * finished video from others by its project and time alone, so those of a project are made one after the other.
 */
const lanes = new Map<number, Lane>();

/** An item's place in a lane. */
export interface Place {
	/** A list that was requested earlier may lack the videos of other executions. By `performance.now()`. */
	listedFrom: number;
	/** The addresses of the videos that items of the lane have got: a late entry may show one of them. */
	readonly given: Set<string>;
	readonly leave: () => void;
}

/**
 * Waits until fewer than a number of videos of the item's project and account are being made. A paid video is
 * being made already, so it takes a place at once.
 *
 * @throws a RequestFailure of the kind `cancelled` when the run ends while the item waits
 */
export async function enterLane(job: VideoJob, max: number): Promise<Place> {
	const { account } = await job.open();
	const key = hashText(JSON.stringify([account, getProject(job)]));
	const lane = lanes.get(key) ?? new Lane(() => lanes.delete(key));
	lanes.set(key, lane);
	return await lane.enter(job, job.ledger.isPaid ? Infinity : max);
}

function getProject({ ledger, order }: VideoJob): string | undefined {
	return ledger.state.projectId ?? order.body.projectId;
}

/** An item that waits for a place. */
interface Ticket {
	job: VideoJob;
	/** The place is free while fewer videos than this are being made. */
	max: number;
	begin: () => void;
	listedFrom: number;
	/** Since when other executions alone have kept it waiting. */
	othersSince?: number;
}

/** The videos of one project that are being made, and the items that wait for a place. */
class Lane {
	private readonly running = new Set<VideoJob>();

	/** By run, in the order of their turns. A run whose item begins goes to the end, so several runs alternate. */
	private readonly waiting = new Map<Run, Set<Ticket>>();

	private readonly given = new Set<string>();

	constructor(private readonly drop: () => void) {}

	async enter(job: VideoJob, max: number): Promise<Place> {
		const { run } = job;
		return await new Promise((resolve, reject) => {
			const ticket: Ticket = {
				...{ job, max, listedFrom: performance.now() },
				begin: () => {
					stopListening();
					resolve(this.takePlace(ticket));
				},
			};
			const stopListening = onAbort(max === Infinity ? undefined : run.signal, () => {
				this.remove(ticket);
				this.beginNext();
				reject(CANCELLED.with({ tries: 0 }));
			});
			if (max === Infinity) ticket.begin();
			else if (!run.signal.aborted) {
				this.waiting.set(run, (this.waiting.get(run) ?? new Set()).add(ticket));
				this.beginNext();
			}
		});
	}

	private takePlace({ job, listedFrom, othersSince }: Ticket): Place {
		const { run } = job;
		if (othersSince !== undefined) run.waitedForOthersMs += performance.now() - othersSince;
		this.running.add(job);
		const leave = () => {
			this.running.delete(job);
			for (const [other, tickets] of this.waiting) {
				if (other === run) continue;
				for (const ticket of tickets) ticket.listedFrom = performance.now();
			}
			this.beginNext();
		};
		return { listedFrom, given: this.given, leave };
	}

	private remove(ticket: Ticket): void {
		const { run } = ticket.job;
		const tickets = this.waiting.get(run);
		tickets?.delete(ticket);
		if (tickets?.size === 0) this.waiting.delete(run);
	}

	private beginNext(): void {
		for (let next = this.findNext(); next; next = this.findNext()) {
			const { run } = next.job;
			const tickets = this.waiting.get(run);
			this.remove(next);
			if (tickets && this.waiting.delete(run)) this.waiting.set(run, tickets);
			next.begin();
		}
		for (const [run, [ticket]] of this.waiting) if (ticket) this.noteOthers(run, ticket);
		if (this.running.size === 0 && this.waiting.size === 0) this.drop();
	}

	private findNext(): Ticket | undefined {
		for (const [ticket] of this.waiting.values()) {
			return ticket && this.running.size < ticket.max ? ticket : undefined;
		}
		return undefined;
	}

	private noteOthers(run: Run, ticket: Ticket): void {
		const isWaitingForOwn = [...this.running].some((job) => job.run === run);
		if (ticket.othersSince !== undefined || isWaitingForOwn) return;
		ticket.othersSince = performance.now();
		const project = JSON.stringify(getProject(ticket.job));
		logInfo(ticket.job, `Waiting for other executions that make videos of project ${project}`);
	}
}
