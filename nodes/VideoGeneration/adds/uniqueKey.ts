import { hashText } from '../api/hashText';
import { RequestFailure } from '../failures/failure';
import { checkJob, type Job, type Outcome } from '../item/job';
import { listStates } from '../item/ledger';
import { isInLoop, isTriedAgain } from '../n8n/calls';
import { Entries } from '../n8n/entries';

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
	return await keys.inTurn(async () => {
		checkJob(job);
		const key = hashText(uniqueKey);
		const open = toOpenEntry(key);
		const added = await keys.reserve([uniqueKey, open]);
		if (added === undefined) throw new RequestFailure({ kind: 'keysUnavailable', uniqueKey });
		// An earlier try of this item may have taken the key. If it was freed since, it is taken again.
		if (added.length === 2 || ledger.state.key === key) {
			ledger.keep({ key });
			return true;
		}
		const isOfRun = listStates(context).some(([, state]) => state.key === key);
		if (isOfRun) throw new RequestFailure({ kind: 'keyTwice', uniqueKey });
		if (!added.includes(open)) throw new RequestFailure({ kind: 'keyUsed', uniqueKey });
		if (!run.isAgentCall && !isInLoop(context)) return false;
		throw new RequestFailure({ kind: 'keyDone', uniqueKey });
	});
}

/**
 * Frees a taken key, with proof that nothing was queued. Otherwise it is recorded once more: a worker whose database was
 * slower than the check may have overwritten it.
 */
export async function freeOrKeepKey({ context, ledger, order }: KeyedJob): Promise<void> {
	const { uniqueKey } = order;
	if (uniqueKey === undefined) return;
	const keys = new Entries(context, 'node');
	const entries = [uniqueKey, toOpenEntry(hashText(uniqueKey))];
	await keys.inTurn(async () => {
		if (ledger.state.stage !== 'new') await keys.record(entries);
		else if (await keys.remove(entries)) ledger.keep({ key: undefined });
	});
}

/** Notes the keys whose videos come out of a run: their rows are done. n8n drops the output of one that ends early. */
export async function completeKeys(jobs: KeyedJob[], outcomes: Outcome[]): Promise<void> {
	const [first] = jobs;
	const shown = outcomes.find((each) => 'reason' in each || each.output.length > 0);
	if (first === undefined || first.run.signal.aborted) return;
	if (shown && 'reason' in shown && isTriedAgain(first.context)) return;
	const entries = jobs.flatMap(({ ledger: { state } }, index) => {
		const { finished, key, unidentified } = state;
		const isDone = 'output' in (outcomes[index] ?? {}) && finished && !unidentified;
		return isDone && key !== undefined ? [toOpenEntry(key)] : [];
	});
	if (entries.length === 0) return;
	const keys = new Entries(first.context, 'node');
	const { signal } = first.run;
	await keys.inTurn(async () => {
		await keys.remove(entries, signal);
		// n8n drops the output of an execution that was stopped meanwhile.
		if (signal.aborted) await keys.record(entries);
	});
}
