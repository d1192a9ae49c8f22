import type {
	DeduplicationHelperFunctions,
	ICheckProcessedOptions,
	IExecuteSingleFunctions,
} from 'n8n-workflow';
import { createSlots } from '../api/pacing';
import { hashText } from '../api/response';
import { RequestFailure } from '../failures/failure';
import { checkJob, type Outcome } from '../item/job';
import { listStates } from '../item/ledger';
import type { VideoJob } from './sendAdd';

/**
 * n8n keeps so many entries for a node, and answers only while it records some. A key has a second entry until its
 * video has come out: one that is left by mistake makes its row fail, instead of leaving it out without a word.
 */
const STORE: ICheckProcessedOptions = { mode: 'entries', maxEntries: 20_000 };

/** The entry of a key whose video has not come out. */
function toOpenEntry(key: number): string {
	return `The video of ${key} has not come out`;
}

/** Does one piece of work at a time: n8n reads its record of the keys, and then writes it as a whole. */
const inTurn = createSlots(1);

/** Whether n8n keeps records for the node: those of a new workflow, and of tools of older agents, have none. */
export function canKeepKeys(context: IExecuteSingleFunctions): boolean {
	return 'checkProcessedAndRecord' in context.helpers && Boolean(context.getWorkflow().id);
}

/**
 * Takes an item's unique key, if it has one: of all executions of this node, one can take it. It stays taken if the
 * add was accepted or may have been, also when n8n is killed in between.
 *
 * @returns false if the video of the key came out before: the item is left out, as n8n's own Remove Duplicates does
 * @throws a RequestFailure: nothing was sent
 */
export async function takeKey(job: VideoJob): Promise<boolean> {
	const { uniqueKey } = job.order;
	return uniqueKey === undefined || (await inTurn(async () => await tryToTake(job, uniqueKey)));
}

async function tryToTake(job: VideoJob, uniqueKey: string): Promise<boolean> {
	const { context, ledger, run } = job;
	checkJob(job);
	const key = hashText(uniqueKey);
	const recorded = await record(context, uniqueKey);
	if (recorded === undefined) throw new RequestFailure({ kind: 'keysUnavailable', uniqueKey });
	// An earlier try of this item may have taken the key. If it was freed since, it is taken again.
	if (recorded.includes(uniqueKey) || ledger.state.key === key) {
		ledger.keep({ key });
		return true;
	}
	const wasDone = recorded.length > 0;
	if (wasDone) await remove(context, [toOpenEntry(key)]).catch(() => undefined);
	const isOfRun = listStates(context).some(([, state]) => state.key === key);
	if (isOfRun) throw new RequestFailure({ kind: 'keyTwice', uniqueKey });
	if (!wasDone) throw new RequestFailure({ kind: 'keyUsed', uniqueKey });
	if (run.isAgentCall || isInLoop(context))
		throw new RequestFailure({ kind: 'keyDone', uniqueKey });
	return false;
}

/**
 * Frees a taken key, with proof that nothing was queued. Otherwise it is recorded once more, since another worker
 * that recorded a key in the same milliseconds may have overwritten the record. Without n8n's store the key stays
 * taken, and the item's next try goes on with it.
 */
export async function freeOrKeepKey({ context, ledger, order }: VideoJob): Promise<void> {
	const { uniqueKey } = order;
	if (uniqueKey === undefined) return;
	await inTurn(async () => {
		if (ledger.state.stage === 'new') {
			await remove(context, [uniqueKey, toOpenEntry(hashText(uniqueKey))]);
			ledger.keep({ key: undefined });
		} else await record(context, uniqueKey);
	}).catch(() => undefined);
}

/** Notes the keys whose videos come out of a run: their rows are done. n8n drops the output of a run that fails. */
export async function completeKeys(jobs: VideoJob[], outcomes: Outcome[]): Promise<void> {
	const entries = jobs.flatMap(({ ledger: { state }, run }, index) => {
		const { finished, key, unidentified } = state;
		const isOut = !run.signal.aborted && 'output' in (outcomes[index] ?? {});
		const isDone = isOut && finished !== undefined && unidentified === undefined;
		return isDone && key !== undefined ? [toOpenEntry(key)] : [];
	});
	const [first] = jobs;
	if (first === undefined || entries.length === 0) return;
	await inTurn(async () => {
		await remove(first.context, entries);
	}).catch(() => undefined);
}

/** Records a key whose video has not come out. @returns its entries that are new; undefined if n8n cannot record them */
async function record(context: IExecuteSingleFunctions, uniqueKey: string) {
	const entries = [uniqueKey, toOpenEntry(hashText(uniqueKey))];
	const write = async () => await getStore(context).checkProcessedAndRecord(entries, 'node', STORE);
	// Another worker may have inserted the first record of this node, which the next try reads.
	const isRace = (error: unknown) => /unique constraint/i.test((error as Error).message);
	const result = await write()
		.catch(async (error: unknown) => (isRace(error) ? await write() : undefined))
		.catch(() => undefined);
	return result?.new;
}

async function remove(context: IExecuteSingleFunctions, entries: string[]): Promise<void> {
	await getStore(context).removeProcessed(entries, 'node', STORE);
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
