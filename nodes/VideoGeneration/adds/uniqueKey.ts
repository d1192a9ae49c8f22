import { hashText } from '../api/hashText';
import { RequestFailure, TIMED_OUT } from '../failures/failure';
import { checkJob, type Job, type Outcome } from '../item/job';
import { listStates } from '../item/ledger';
import { isInLoop } from '../n8n/calls';
import { Entries, MAX_END_MS, MAX_SILENCE_MS } from '../n8n/entries';

/** A job whose order may have a unique key. */
type KeyedJob = Job<{ uniqueKey?: string | undefined }>;

/** The entry of a key whose video has not come out. One that is left by mistake makes its row fail, not vanish. */
const toOpenEntry = (key: number) => `The video of ${key} has not come out`;

/**
 * Takes an item's unique key, if it has one: of all executions of this node, one can take it. It stays taken if the
 * add was accepted or may have been, also when n8n is killed in between: both entries are recorded at once.
 *
 * @returns false if the video of the key came out before: the item is left out, as n8n's own Remove Duplicates does
 * @throws a RequestFailure: nothing was sent
 */
export async function takeKey(job: KeyedJob): Promise<boolean> {
	const { context, ledger, order, run } = job;
	const { uniqueKey } = order;
	if (uniqueKey === undefined) return true;
	const keys = new Entries(context, 'node');
	const key = hashText(uniqueKey);
	const open = toOpenEntry(key);
	const take = async (end: AbortSignal) => {
		checkJob(job);
		const added = await keys.reserve([uniqueKey, open], [], end);
		if (added === undefined) throw TIMED_OUT;
		if (added.length === 2) {
			ledger.keep({ key });
			return true;
		}
		const isOfRun = listStates(context).some(([, state]) => state.key === key);
		if (isOfRun) throw new RequestFailure({ kind: 'keyTwice', uniqueKey });
		if (!added.includes(open)) throw new RequestFailure({ kind: 'keyUsed', uniqueKey });
		if (!run.isAgentCall && !isInLoop(context)) return false;
		throw new RequestFailure({ kind: 'keyDone', uniqueKey });
	};
	return await keys.inTurn(take, MAX_SILENCE_MS, run.signal).catch((error: unknown) => {
		checkJob(job);
		if (error !== TIMED_OUT) throw error;
		throw new RequestFailure({ kind: 'keysUnavailable', uniqueKey });
	});
}

/**
 * Frees a taken key, with proof that nothing was queued: from then on, it may be another execution's. Otherwise it is
 * recorded once more: a worker whose database was slower than the check may have overwritten it.
 */
export async function freeOrKeepKey({ context, ledger, order }: KeyedJob): Promise<void> {
	const { uniqueKey = '' } = order;
	const key = hashText(uniqueKey);
	if (ledger.state.key !== key) return;
	const isFree = ledger.state.stage === 'new';
	if (isFree) ledger.keep({ key: undefined });
	const entries = [uniqueKey, toOpenEntry(key)];
	const keys = new Entries(context, 'node');
	const write = async (): Promise<unknown> =>
		await (isFree ? keys.remove(entries) : keys.record(entries));
	await keys.inTurn(write, MAX_END_MS).catch(() => undefined);
}

/** Notes the keys whose videos come out of a run: their rows are done. n8n drops the output of one that ends early. */
export async function completeKeys(jobs: KeyedJob[], outcomes: Outcome[]): Promise<void> {
	const [first] = jobs;
	const shown = outcomes.find((each) => 'reason' in each || each.output.length > 0);
	if (first === undefined || first.run.signal.aborted) return;
	if (shown && 'reason' in shown && first.run.hasNextTry) return;
	const entries = jobs.flatMap(({ ledger: { state } }, index) => {
		const { finished, key, unidentified } = state;
		const isDone = 'output' in (outcomes[index] ?? {}) && finished && !unidentified;
		return isDone && key !== undefined ? [toOpenEntry(key)] : [];
	});
	if (entries.length === 0) return;
	const keys = new Entries(first.context, 'node');
	const { signal } = first.run;
	const complete = async (): Promise<unknown> => {
		const isRemoved = await keys.remove(entries, signal);
		// n8n drops the output of an execution that was stopped meanwhile.
		return signal.aborted ? await keys.record(entries) : isRemoved;
	};
	await keys.inTurn(complete, MAX_END_MS).catch(() => undefined);
}
