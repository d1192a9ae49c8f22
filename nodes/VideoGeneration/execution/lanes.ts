import type { Job } from './job';
import { resolveWithRetries } from '../api/request';

/**
 * Only as many videos of a project are made at the same time as "Videos at Once" says: the API tells a
 * finished video from others by its project and time alone.
 */
export class Lanes {
	private readonly lanes = new Map<string, Lane>();

	/** The lane of an item's project and account. An item that waits for no video has one of its own. */
	async find(job: Job): Promise<Lane> {
		const { context, maxTries, memory, operation, request, run, wait } = job;
		const isSent = memory.isFateUnknown() || job.problem !== undefined;
		if (wait === undefined || isSent || run.signal.aborted) return new Lane();
		const projectId = memory.state.projectId ?? operation.getIds?.(request).projectId;
		const retries = { maxTries, signal: run.signal };
		const service = await resolveWithRetries(context, retries).catch((problem: unknown) => {
			// What is queued is waited for all the same.
			if (memory.state.queueId === undefined) job.problem = problem;
			return undefined;
		});
		const key = JSON.stringify([service?.account, projectId]);
		const lane = this.lanes.get(key) ?? new Lane();
		this.lanes.set(key, lane);
		return lane;
	}
}

/** The items of one project, in their order. */
export class Lane {
	private inTheMaking = 0;

	private readonly waiting: { max: number; begin: () => void }[] = [];

	/**
	 * Makes an item's video in its turn. Once a failed item has ended the run, or the execution is stopped,
	 * the turns of the others come at once.
	 */
	async takeTurn<T>({ memory, wait }: Job, make: () => Promise<T>): Promise<T> {
		// What was queued earlier is in the making already.
		const max = memory.state.queueId === undefined ? (wait?.videosAtOnce ?? Infinity) : Infinity;
		await new Promise<void>((begin) => {
			this.waiting.push({ max, begin });
			this.beginNext();
		});
		try {
			return await make();
		} finally {
			this.inTheMaking -= 1;
			this.beginNext();
		}
	}

	private beginNext(): void {
		const [next] = this.waiting;
		if (next === undefined || this.inTheMaking >= next.max) return;
		this.waiting.shift();
		this.inTheMaking += 1;
		next.begin();
		this.beginNext();
	}
}
