import type {
	DeduplicationHelperFunctions,
	ICheckProcessedOptions,
	IExecuteSingleFunctions,
} from 'n8n-workflow';
import { createSlots } from '../api/pacing';
import { hashText } from '../api/response';
import { RequestFailure } from '../failures/failure';
import type { Outcome } from '../item/job';
import { checkJob } from '../item/job';
import { listStates } from '../item/ledger';
import type { VideoJob } from './sendAdd';

/** The last 10,000 rows of a node are kept, each with two entries: its key, and that its video came out. */
const STORE: ICheckProcessedOptions = { mode: 'entries', maxEntries: 20_000 };

/** Does one piece of work at a time: n8n reads its record of the keys, and then writes it as a whole. */
const inTurn = createSlots(1);

/** Whether n8n keeps records for the node: those of a new workflow, and of tools of older agents, have none. */
export function canKeepKeys(context: IExecuteSingleFunctions): boolean {
	return 'checkProcessedAndRecord' in context.helpers && Boolean(context.getWorkflow().id);
}

/**
 * Pays for an item with its unique key: of all executions of this node, one can take it. It stays taken if the
 * add was accepted or may have been, also when n8n is killed in between, and is freed only with proof that
 * nothing was queued.
 *
 * @returns undefined if the video of the key came out before: the item is left out, as n8n's own Remove Duplicates does
 * @throws a RequestFailure
 */
export async function withKey<T>(job: VideoJob, pay: () => Promise<T>): Promise<T | undefined> {
	const { uniqueKey } = job.order;
	if (uniqueKey === undefined) return await pay();
	const isTaken = await inTurn(async () => await takeKey(job, uniqueKey));
	if (!isTaken) return undefined;
	try {
		return await pay();
	} finally {
		await inTurn(async () => {
			await settleKey(job, uniqueKey);
		}).catch(() => undefined);
	}
}

/** @returns false if the item is left out. @throws a RequestFailure: nothing was sent */
async function takeKey(job: VideoJob, uniqueKey: string): Promise<boolean> {
	const { context, ledger, run } = job;
	checkJob(job);
	const key = hashText(uniqueKey);
	const isNew = await record(job, uniqueKey, uniqueKey);
	// An earlier try of this item may have taken the key. If it was freed since, it is taken again.
	if (isNew || ledger.state.key === key) {
		ledger.keep({ key });
		return true;
	}
	const isOfRun = listStates(context).some(([, state]) => state.key === key);
	if (isOfRun) throw new RequestFailure({ kind: 'keyTwice', uniqueKey });
	// n8n's store answers only while it records, so what is new is removed.
	const entry = toDoneEntry(key);
	if (await record(job, entry, uniqueKey)) {
		await removeEntry(context, entry).catch(() => undefined);
		throw new RequestFailure({ kind: 'keyUsed', uniqueKey });
	}
	if (run.isAgentCall || isInLoop(context))
		throw new RequestFailure({ kind: 'keyDone', uniqueKey });
	return false;
}

/**
 * Settles a taken key. If the video is queued, or may be, the key is recorded once more, since another worker
 * that recorded a key in the same milliseconds may have overwritten the record. Without n8n's store the key stays
 * taken, and the item's next try goes on with it.
 */
async function settleKey({ context, ledger }: VideoJob, uniqueKey: string): Promise<void> {
	if (ledger.state.stage !== 'new') {
		await getStore(context).checkProcessedAndRecord([uniqueKey], 'node', STORE);
		return;
	}
	await removeEntry(context, uniqueKey);
	ledger.keep({ key: undefined });
}

/** Records the keys whose videos come out of a run: their rows are done. n8n drops the output of a run that fails. */
export async function completeKeys(jobs: VideoJob[], outcomes: Outcome[]): Promise<void> {
	const entries = jobs.flatMap(({ ledger: { state }, run }, index) => {
		const { key, finished, unidentified } = state;
		const isOut = !run.signal.aborted && 'output' in (outcomes[index] ?? {});
		const isDone = isOut && finished !== undefined && unidentified === undefined;
		return isDone && key !== undefined ? [toDoneEntry(key)] : [];
	});
	const [first] = jobs;
	if (first === undefined || entries.length === 0) return;
	const store = getStore(first.context);
	await inTurn(async () => await store.checkProcessedAndRecord(entries, 'node', STORE)).catch(
		() => undefined,
	);
}

/** The entry that says that the video of a key has come out. */
function toDoneEntry(key: number): string {
	return `The video of ${key} has come out`;
}

/** Records an entry. @returns whether it is new. @throws a RequestFailure */
async function record({ context }: VideoJob, entry: string, uniqueKey: string): Promise<boolean> {
	const write = async () => await getStore(context).checkProcessedAndRecord([entry], 'node', STORE);
	// Another worker may have inserted the first record of this node, which the next try reads.
	const isRace = (error: unknown) => /unique constraint/i.test((error as Error).message);
	const result = await write()
		.catch(async (error: unknown) => (isRace(error) ? await write() : undefined))
		.catch(() => undefined);
	if (result === undefined) throw new RequestFailure({ kind: 'keysUnavailable', uniqueKey });
	return result.new.length > 0;
}

async function removeEntry(context: IExecuteSingleFunctions, entry: string): Promise<void> {
	await getStore(context).removeProcessed([entry], 'node', STORE);
}

/** Whether the node is part of a loop, which n8n ends without a word when a round has no output. */
function isInLoop(context: IExecuteSingleFunctions): boolean {
	const { name } = context.getNode();
	const before = new Set(context.getParentNodes(name).map((node) => node.name));
	return context.getChildNodes(name).some((node) => before.has(node.name));
}

/** n8n's own deduplication, whose entries belong to the node and its workflow. */
function getStore(context: IExecuteSingleFunctions): DeduplicationHelperFunctions {
	return context.helpers as unknown as DeduplicationHelperFunctions;
}
