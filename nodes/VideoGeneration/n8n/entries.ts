import type {
	DeduplicationHelperFunctions,
	DeduplicationScope,
	IExecuteSingleFunctions,
} from 'n8n-workflow';
import { pause, Turns } from '../api/pacing';

/** A reservation is checked after so many times the longest of the last calls: one that began before it may overwrite it. */
const CHECK_TIMES = 3;
const MIN_CHECK_MS = 50;
const MAX_CHECK_MS = 2_000;

/** So many entries of a node are kept, the newest: two for a unique key until its video has come out, and a mark. */
const MAX_ENTRIES = 20_001;

/** Without an answer, n8n is asked so often to remove entries, which would otherwise stay, after a pause. */
const MAX_TRIES = 3;
const PAUSE_MS = 1_000;

/** How long the longest of the last calls took. With each later one, it counts for a hundredth less. */
let longestMs = 0;

/** The work on each row: n8n reads a row, and then writes it as a whole. */
const rows = new Turns();

/**
 * Entries in n8n's deduplication store, which all processes of n8n share: a row of its database for a node, or for its
 * workflow. n8n answers only while it records some.
 */
export class Entries {
	/** Whether n8n refuses to keep these: another node keeps entries of another kind in the row. */
	isRefused = false;
	/** The mark of the last reservation, which another process may have written again since it was removed. */
	private lastMark = '';

	constructor(
		private readonly context: IExecuteSingleFunctions,
		private readonly scope: DeduplicationScope,
	) {}

	/** Whether n8n keeps entries for the node: a new workflow, and tools of older agents, have none. */
	static areKept(context: IExecuteSingleFunctions): boolean {
		return 'checkProcessedAndRecord' in context.helpers && Boolean(context.getWorkflow().id);
	}

	/** Does work on the row, one piece at a time in this process. The signal ends the wait for it. */
	async inTurn<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
		const { context, scope } = this;
		const row = [context.getWorkflow().id, scope === 'node' && context.getNode().id];
		return await rows.take([JSON.stringify(row)], work, signal);
	}

	/** @returns those that are new; undefined if n8n cannot record them */
	async record(entries: string[]): Promise<string[] | undefined> {
		const limit = this.scope === 'node' ? { maxEntries: MAX_ENTRIES } : {};
		const options = { mode: 'entries', ...limit } as const;
		const write = async () => {
			const begunAt = performance.now();
			return await this.store.checkProcessedAndRecord(entries, this.scope, options).finally(() => {
				longestMs = Math.max(performance.now() - begunAt, longestMs * 0.99);
			});
		};
		const result = await write()
			// Another process may have inserted the row, which the next try reads.
			.catch(async (error: unknown) => {
				if (/unique constraint/i.test((error as Error).message)) return await write();
				throw error;
			})
			.catch((error: unknown) => {
				this.isRefused = /incompatible setting/i.test((error as Error).message);
			});
		return result?.new as string[] | undefined;
	}

	/**
	 * Records entries that only one process can have. Of several that do so at once, n8n keeps the row of the last one: a
	 * moment later, a mark tells whether the row was kept; if not, they are recorded again. A reservation that fails is taken back.
	 *
	 * @param others what is recorded with them, whether or not it is new
	 * @returns those that were new, all of the first ones if they are reserved now; undefined if n8n cannot record them
	 */
	async reserve(entries: string[], others: string[] = []): Promise<string[] | undefined> {
		const mark = `Reservation ${Math.random()}`;
		this.lastMark = mark;
		const marked = [...entries, ...others, mark];
		let added = await this.record(marked);
		/** What a reservation that fails takes back: without an answer, what was new before. */
		let leftovers = added ?? [];
		let isKept = false;
		while (added && !isKept && entries.every((entry) => added?.includes(entry))) {
			await pause(Math.min(Math.max(MIN_CHECK_MS, CHECK_TIMES * longestMs), MAX_CHECK_MS));
			const overwritten = await this.record(marked);
			isKept = overwritten?.length === 0;
			if (!isKept) added = overwritten;
			leftovers = isKept ? [mark] : (overwritten ?? leftovers);
		}
		if (leftovers.length > 0) await this.remove(leftovers);
		return added?.filter((entry) => entry !== mark);
	}

	/** @returns whether n8n could remove them */
	async remove(entries: string[], signal?: AbortSignal): Promise<boolean> {
		for (let tries = 1; ; tries++) {
			const isRemoved = await this.store
				.removeProcessed([...entries, this.lastMark], this.scope, { mode: 'entries' })
				.then(() => true)
				.catch(() => false);
			if (isRemoved || tries === MAX_TRIES) return isRemoved;
			await pause(PAUSE_MS, signal);
		}
	}

	private get store(): DeduplicationHelperFunctions {
		return this.context.helpers as unknown as DeduplicationHelperFunctions;
	}
}
