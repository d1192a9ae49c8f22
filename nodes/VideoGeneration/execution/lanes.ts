import { resolveService } from '../api/request';
import type { Job } from './job';

/**
 * Only as many videos of a project are in the making at the same time as "Videos at Once" says: the API
 * tells a finished video from others by its project and time alone.
 */
export class Lanes {
	private readonly lanes = new Map<string, Lane>();

	/** The lane of an item's project and account. An item that waits for no video has one of its own. */
	async find({ context, memory, operation, request, run, wait }: Job): Promise<Lane> {
		if (wait === undefined || run.signal.aborted) return new Lane();
		const projectId = memory.state.projectId ?? operation.getIds?.(request).projectId;
		// An item whose credential cannot be read fails in its turn.
		const account = await resolveService(context).then(
			(service) => service.account,
			() => '',
		);
		const key = JSON.stringify([account, projectId]);
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
	 * Makes an item's video in its turn. When a failed item has ended the run, or the execution is stopped,
	 * the turns of the others come at once.
	 */
	async takeTurn<T>({ memory, wait }: Job, make: () => Promise<T>): Promise<T> {
		await new Promise<void>((begin) => {
			// What an earlier try has queued is in the making already.
			if (memory.state.queueId !== undefined) this.waiting.unshift({ max: Infinity, begin });
			else this.waiting.push({ max: wait?.videosAtOnce ?? Infinity, begin });
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
