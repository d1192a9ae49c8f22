import type {
	DeduplicationHelperFunctions,
	DeduplicationScope,
	IExecuteSingleFunctions,
} from 'n8n-workflow';
import { pause, Turns, withTimeout } from '../api/pacing';

/** A record is checked after so many times the longest of the last calls: one that began before it may overwrite it. */
const CHECK_TIMES = 3;
const MAX_CHECK_MS = 2_000;

/** After so long without an answer, nothing waits for n8n any more, which may still carry out what it was asked for. */
export const MAX_SILENCE_MS = 120_000;

/** An item that ends, and its run, do not wait longer for n8n: two such waits fit into the second after Stop. */
export const MAX_END_MS = 400;

/** So many records of a node are kept, the newest: three for a unique key until its video has come out. */
const MAX_ENTRIES = 30_000;

/** The records of a workflow are of no use after an hour. They are then removed again, for n8n may lose a removal. */
const MAX_AGE_MS = 3_600_000;

/** A removal that other processes have overwritten is made so often. */
const MAX_RELEASES = 5;

/** Without an answer, n8n is asked so often to remove records, which would otherwise stay. */
const MAX_TRIES = 100;
const PAUSE_MS = 300;

/** How long the longest of the last calls took. With each later one, it counts a hundredth less. */
let longestMs = 0;

/** @returns after which time a record can be checked */
export const getCheckMs = (minMs = 50) =>
	Math.min(Math.max(minMs, CHECK_TIMES * longestMs), MAX_CHECK_MS);

/** The work on each row: n8n reads a row, and then writes it as a whole. */
const turns = new Turns();

/** The records of workflows that this process has written, their rows, and when that was. */
const recorded = new Map<string, { row: string; at: number }>();

/** Texts in a row of n8n's deduplication store, a node's or a workflow's, for all processes. n8n answers only while it records some. */
export class Records {
	/** Whether n8n refuses to keep these: another node has records of another kind in the row. */
	isRefused = false;
	private readonly row: string;
	private readonly store: DeduplicationHelperFunctions;

	constructor(
		context: IExecuteSingleFunctions,
		private readonly scope: DeduplicationScope,
	) {
		this.row = JSON.stringify([context.getWorkflow().id, scope === 'node' && context.getNode().id]);
		this.store = context.helpers as unknown as DeduplicationHelperFunctions;
	}

	/** Whether n8n keeps records for the node: a new workflow, and tools of older agents, have none. */
	static areKept(context: IExecuteSingleFunctions): boolean {
		return 'checkProcessedAndRecord' in context.helpers && Boolean(context.getWorkflow().id);
	}

	/** Does work on the row, one piece at a time in this process, and waits for it until a time. @param work told if nothing waits any more */
	async alone<T>(work: (end: AbortSignal) => Promise<T>, timeoutMs: number, signal?: AbortSignal) {
		const alone = async (end: AbortSignal) => await turns.take([this.row], () => work(end));
		return await withTimeout(alone, timeoutMs, signal);
	}

	/** @returns those that are new; undefined if n8n cannot record them */
	async record(texts: string[]): Promise<string[] | undefined> {
		const { row, scope, store } = this;
		const limit = scope === 'node' ? { maxEntries: MAX_ENTRIES } : {};
		const write = async () =>
			await store.checkProcessedAndRecord(texts, scope, { mode: 'entries', ...limit });
		const begunAt = performance.now();
		if (scope !== 'node') for (const text of texts) recorded.set(text, { row, at: begunAt });
		const result = await write()
			// Another process may have inserted the row, which the next try reads.
			.catch(async (error: unknown) => {
				if (/unique constraint/i.test((error as Error).message)) return await write();
				throw error;
			})
			.catch((error: unknown) => {
				this.isRefused = /incompatible setting/i.test((error as Error).message);
			});
		longestMs = Math.max(performance.now() - begunAt, longestMs * 0.99);
		return result?.new as string[] | undefined;
	}

	/**
	 * Records texts that only one process can have. Of several that do so at once, n8n keeps the row of the last one: a
	 * moment later, the mark tells whether the row was kept; if not, they are recorded again. A reservation that fails is taken back.
	 * @param others what is recorded with them
	 * @returns those that were new, all of the first ones if they are reserved now; undefined if n8n cannot record them
	 */
	async reserve(texts: string[], others: string[] = []): Promise<string[] | undefined> {
		const mark = `Reservation ${Math.random()}`;
		const marked = [...texts, ...others, mark];
		let added = await this.record(marked);
		/** What is taken back: without an answer, what was new before. */
		let leftovers = added ?? [];
		let isKept = false;
		while (added && !isKept && texts.every((text) => added?.includes(text))) {
			await pause(getCheckMs());
			const again = await this.record(marked);
			isKept = again?.length === 0;
			// With the mark, the row was kept: another process has only removed some, which are recorded again now.
			if (again && !again.includes(mark)) continue;
			added = again;
			leftovers = again ?? leftovers;
		}
		if (isKept) await this.remove([mark]);
		else if (leftovers.length > 0) await this.release(mark, leftovers);
		return added;
	}

	/**
	 * Removes texts for good. A moment later, a mark that was removed with them tells whether the row was kept; if not, they
	 * are removed again.
	 * @param mark a text that was recorded before, and that other processes hardly record
	 */
	async release(mark: string, texts: string[]): Promise<void> {
		for (let tries = 1; tries <= MAX_RELEASES; tries++) {
			await this.remove([...texts, mark]);
			await pause(getCheckMs());
			const added = await this.record([mark]);
			if (added?.length !== 0) break;
		}
		await this.remove([mark]);
	}

	async remove(texts: string[], signal?: AbortSignal): Promise<void> {
		const since = performance.now() - MAX_AGE_MS;
		const old = [...recorded].flatMap(([text, { row, at }]) =>
			row === this.row && at < since ? [text] : [],
		);
		const all = [...new Set([...texts, ...old])];
		for (let tries = 1; ; tries++) {
			const isRemoved = await this.store
				.removeProcessed(all, this.scope, { mode: 'entries' })
				.then(() => true)
				.catch(() => false);
			if (isRemoved) for (const text of old) recorded.delete(text);
			if (isRemoved || tries === MAX_TRIES || !(await pause(PAUSE_MS, signal))) return;
		}
	}
}
