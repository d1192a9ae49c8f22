import type {
	DeduplicationHelperFunctions,
	ICheckProcessedOptions,
	IExecuteSingleFunctions,
} from 'n8n-workflow';
import { hashText } from '../api/hash';
import { createSlots } from '../api/pacing';
import { RequestFailure } from '../failures/failure';
import type { Job, Outcome } from '../item/job';
import { checkJob } from '../item/job';
import { getPaidText } from '../item/expressions';
import { listStates } from '../item/ledger';
import { createInputError, getCollection } from '../item/parameters';
import type { VideoOrder } from './order';

type VideoJob = Job<VideoOrder>;

/** The last 10,000 rows of a node are kept, each with two entries: its key, and that its video came out. */
const STORE: ICheckProcessedOptions = { mode: 'entries', maxEntries: 20_000 };

/**
 * "Unique Key" of an item.
 *
 * @returns undefined where the option is not set
 * @throws a NodeOperationError when it is set and cannot be used, before anything is sent: a misspelt
 * column must not turn it off, nor make one key of all rows
 */
export function getUniqueKey(context: IExecuteSingleFunctions): string | undefined {
	if (!('uniqueKey' in getCollection(context, 'options'))) return undefined;
	const advice = 'The key must be a value that stays with the row, such as its ID.';
	const key = getPaidText(context, 'options.uniqueKey', 'Unique Key', advice).trim();
	if (key === '') {
		throw createInputError(
			context,
			"'Unique Key' is empty",
			"Enter a value that stays with the row, such as its ID, or remove 'Unique Key' under 'Options'. If it is an expression, check that it has a value for this item. Nothing was sent.",
		);
	}
	const hasStore = typeof getStore(context).checkProcessedAndRecord === 'function';
	if (hasStore && context.getWorkflow().id) return key;
	throw createInputError(
		context,
		"'Unique Key' cannot be used here",
		"n8n keeps the keys with a saved workflow, and of tools only for those of the AI Agent node from version 3 on. Save the workflow, use that agent, or remove 'Unique Key' under 'Options'. Nothing was sent.",
	);
}

/** Does one piece of work at a time: n8n reads its record of the keys, and then writes it as a whole. */
const inTurn = createSlots(1);

/**
 * Pays for an item with its key, which is freed only with proof that nothing was queued.
 *
 * @returns undefined if the video of the key came out before: the item is left out
 * @throws a RequestFailure
 */
export async function withKey<T>(job: VideoJob, pay: () => Promise<T>): Promise<T | undefined> {
	if (!(await takeKey(job))) return undefined;
	try {
		return await pay();
	} finally {
		await settleKey(job);
	}
}

/**
 * Takes an item's key before its add is sent: of all executions of this node, one can take it. It stays
 * taken if the add was accepted or may have been, also when n8n is killed in between.
 *
 * @returns false if the video of the key came out before: the item is left out, as n8n's own Remove Duplicates does
 * @throws a RequestFailure: nothing was sent
 */
async function takeKey(job: VideoJob): Promise<boolean> {
	const { context, ledger, order, run } = job;
	const { uniqueKey } = order;
	if (uniqueKey === undefined) return true;
	return await inTurn(async () => {
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
		const wasMade = await isDone(job, key, uniqueKey);
		if (!wasMade) throw new RequestFailure({ kind: 'keyUsed', uniqueKey });
		if (!run.isAgentCall && !isInLoop(context)) return false;
		throw new RequestFailure({ kind: 'keyDone', uniqueKey });
	});
}

/** The entry that says that the video of a key has come out. */
const toDoneEntry = (key: number) => `The video of ${key} has come out`;

/** Whether the video of a used key has come out. n8n's store answers only while it records, so what is new is removed. */
async function isDone(job: VideoJob, key: number, uniqueKey: string): Promise<boolean> {
	const entry = toDoneEntry(key);
	const isNew = await record(job, entry, uniqueKey);
	if (isNew) {
		await getStore(job.context)
			.removeProcessed([entry], 'node', STORE)
			.catch(() => undefined);
	}
	return !isNew;
}

/** Records an entry. @returns whether it is new. @throws a RequestFailure */
async function record({ context }: VideoJob, entry: string, uniqueKey: string): Promise<boolean> {
	const write = async () => await getStore(context).checkProcessedAndRecord([entry], 'node', STORE);
	const result = await write()
		.catch(async (error: unknown) => {
			// Another worker has inserted the first record of this node, which the next try reads.
			if (/unique constraint/i.test((error as Error).message)) return await write();
			return undefined;
		})
		.catch(() => undefined);
	if (result === undefined) throw new RequestFailure({ kind: 'keysUnavailable', uniqueKey });
	return result.new.length > 0;
}

/** Whether the node is part of a loop, which n8n ends without a word when a round has no output. */
function isInLoop(context: IExecuteSingleFunctions): boolean {
	const { name } = context.getNode();
	const before = new Set(context.getParentNodes(name).map((node) => node.name));
	return context.getChildNodes(name).some((node) => before.has(node.name));
}

/** Records the keys whose videos come out of a run: their rows are done. n8n drops the output of a run that fails. */
export async function completeKeys(jobs: VideoJob[], outcomes: Outcome[]): Promise<void> {
	const done = jobs.filter(({ ledger: { state }, run }, index) => {
		const outcome = outcomes[index];
		const hasVideo = state.finished !== undefined && state.unidentified === undefined;
		return !run.signal.aborted && hasVideo && outcome !== undefined && 'output' in outcome;
	});
	const entries = done.flatMap(({ ledger: { state } }) =>
		state.key === undefined ? [] : [toDoneEntry(state.key)],
	);
	const [first] = done;
	if (first === undefined || entries.length === 0) return;
	const store = getStore(first.context);
	await inTurn(async () => await store.checkProcessedAndRecord(entries, 'node', STORE)).catch(
		() => undefined,
	);
}

/**
 * Settles an item's key after its try. The video is queued, or may be: the key is recorded once more, since
 * another worker that recorded a key in the same milliseconds may have overwritten the record. Otherwise the
 * item's own key is freed, and no other: the item may have had another one in an earlier try. Without n8n's
 * store the key stays taken, and the item's next try goes on with it.
 */
export async function settleKey({ context, ledger, order }: VideoJob): Promise<void> {
	const { uniqueKey } = order;
	if (uniqueKey === undefined) return;
	const store = getStore(context);
	const isSent = ledger.state.stage !== 'new';
	if (!isSent && ledger.state.key !== hashText(uniqueKey)) return;
	await inTurn(async () => {
		if (isSent) await store.checkProcessedAndRecord([uniqueKey], 'node', STORE);
		else await store.removeProcessed([uniqueKey], 'node', STORE);
		if (!isSent) ledger.keep({ key: undefined });
	}).catch(() => undefined);
}

/** n8n's own deduplication, whose entries belong to the node and its workflow. */
function getStore(context: IExecuteSingleFunctions): DeduplicationHelperFunctions {
	return context.helpers as unknown as DeduplicationHelperFunctions;
}
