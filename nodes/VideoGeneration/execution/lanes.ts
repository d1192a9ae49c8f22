import { hashText } from '../api/hash';
import { onAbort } from '../api/pacing';
import { resolveWithRetries } from '../api/request';
import { CANCELLED } from '../failures/failure';
import type { Job } from './job';
import { logInfo } from './job';

/**
 * The lanes of this process, each only while anything is in it. All executions share them: the API tells a
 * finished video from others by its project and time alone, so those of a project are made one after the other.
 */
const lanes = new Map<number, Lane>();

/** An item's place in a lane. */
export interface Place {
	/** A list that was requested earlier may lack the videos of other executions. By `performance.now()`. */
	listedFrom: number;
	leave: () => void;
}

/** The lane of an item's project and account; undefined if its video is not waited for. */
export async function findLane(job: Job): Promise<number | undefined> {
	const { context, maxTries, memory, run, wait } = job;
	const isSent = memory.isFateUnknown() || job.problem !== undefined;
	if (wait === undefined || isSent || run.signal.aborted) return undefined;
	const retries = { maxTries, signal: run.signal };
	const service = await resolveWithRetries(context, retries).catch((problem: unknown) => {
		// What is queued is waited for all the same.
		if (memory.state.queueId === undefined) job.problem = problem;
		return undefined;
	});
	return hashText(JSON.stringify([service?.account, getProject(job)]));
}

function getProject({ memory, operation, request }: Job): string | undefined {
	return memory.state.projectId ?? operation.getIds?.(request).projectId;
}

/** The turns of one run, which waits for one place of a lane at a time: so several runs alternate. */
export class Turns {
	private readonly lastTurns = new Map<number, Promise<unknown>>();

	/** Waits for an item's turn in its lane. @throws a RequestFailure when the run ends meanwhile */
	async take(job: Job, key: number | undefined): Promise<Place> {
		if (key === undefined) return { listedFrom: job.run.startedAt, leave: () => undefined };
		// A queued item takes a place at once, whatever the limit.
		if (job.memory.state.queueId !== undefined) return await enterLane(key, job, Infinity);
		const last = this.lastTurns.get(key)?.catch(() => undefined);
		const turn = Promise.resolve(last).then(
			async () => await enterLane(key, job, job.wait?.videosAtOnce ?? 1),
		);
		this.lastTurns.set(key, turn);
		return await turn;
	}
}

/** An empty lane is dropped, so the lane is looked up when the item enters it. */
async function enterLane(key: number, job: Job, max: number): Promise<Place> {
	const lane = lanes.get(key) ?? new Lane(() => lanes.delete(key));
	lanes.set(key, lane);
	return await lane.enter(job, max);
}

/** An item that waits for a place. */
interface Ticket extends Pick<Place, 'listedFrom'> {
	job: Job;
	/** The place is free while fewer videos than this are being made. */
	max: number;
	begin?: () => void;
	/** Since when other executions alone have kept it waiting. */
	othersSince?: number;
}

/** The videos of one project that are being made, and the items that wait for a place. */
class Lane {
	private readonly running = new Set<Job>();

	private readonly waiting = new Set<Ticket>();

	constructor(private readonly drop: () => void) {}

	/** @throws a RequestFailure of the kind `cancelled` when the run ends while the item waits */
	async enter(job: Job, max: number): Promise<Place> {
		const ticket: Ticket = { job, max, listedFrom: job.run.startedAt };
		if (max === Infinity) return this.takePlace(ticket);
		return await new Promise((resolve, reject) => {
			const stopListening = onAbort(job.run.signal, () => {
				this.waiting.delete(ticket);
				this.beginNext();
				reject(CANCELLED.with({ tries: 0 }));
			});
			ticket.begin = () => {
				stopListening();
				resolve(this.takePlace(ticket));
			};
			if (!job.run.signal.aborted) this.waiting.add(ticket);
			this.beginNext();
		});
	}

	private takePlace({ job, listedFrom, othersSince }: Ticket): Place {
		const { run } = job;
		if (othersSince !== undefined) run.waitedForOthersMs += performance.now() - othersSince;
		this.running.add(job);
		const leave = () => {
			this.running.delete(job);
			for (const ticket of this.waiting) {
				if (ticket.job.run !== run) ticket.listedFrom = performance.now();
			}
			this.beginNext();
		};
		return { listedFrom, leave };
	}

	private beginNext(): void {
		for (const ticket of this.waiting) {
			if (this.running.size >= ticket.max) break;
			this.waiting.delete(ticket);
			ticket.begin?.();
		}
		for (const ticket of this.waiting) this.noteOthers(ticket);
		if (this.running.size === 0 && this.waiting.size === 0) this.drop();
	}

	private noteOthers(ticket: Ticket): void {
		const isOwn = ({ run }: Job) => run === ticket.job.run;
		if (ticket.othersSince !== undefined || [...this.running].some(isOwn)) return;
		ticket.othersSince = performance.now();
		const project = JSON.stringify(getProject(ticket.job));
		logInfo(ticket.job, `Waiting for other executions that make videos of project ${project}`);
	}
}
