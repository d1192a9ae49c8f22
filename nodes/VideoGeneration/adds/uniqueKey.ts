import { hashText } from '../api/hashText';
import { pause } from '../api/pacing';
import { RequestFailure, TIMED_OUT } from '../failures/failure';
import { checkJob, type Job, type Outcome } from '../item/job';
import { listStates } from '../item/ledger';
import { isInLoop } from '../n8n/calls';
import { Entries, getCheckMs, MAX_END_MS, MAX_SILENCE_MS } from '../n8n/entries';
import { isOnWorker } from '../n8n/execution';

type KeyedJob = Job<{ uniqueKey?: string | undefined }>;

/** On workers, how long a claim must last, and when it is recorded once more: writes of others may overwrite it. */
const CHECK_MS = 1_000;
const RENEW_MS = 10_000;

/** This process, in the entries of its claims. */
const PROCESS = Math.random();

/** The entries of a key until its video has come out. Those that are left by mistake make its row fail, not vanish. */
const listOpenEntries = (key: number): [open: string, claim: string] => [
	`The video of ${key} has not come out`,
	`The claim of ${key} by ${PROCESS}`,
];

/**
 * Claims an item's unique key, if it has one, with entries that are recorded at once: n8n may be killed in between.
 * @param isClaimed to check the claim just before the add: of several executions, n8n keeps the row of the last one
 * @returns false if the video of the key came out before: the item is left out, as n8n's own Remove Duplicates does
 * @throws a RequestFailure: nothing was sent
 */
export async function claimKey(job: KeyedJob, isClaimed = false): Promise<boolean> {
	const { context, ledger, order, run } = job;
	const { uniqueKey } = order;
	if (uniqueKey === undefined) return true;
	const keys = new Entries(context, 'node');
	const key = hashText(uniqueKey);
	const [open, claim] = listOpenEntries(key);
	const isOwn = (added: string[]) => added.includes(uniqueKey) && added.includes(open);
	const record = async (end: AbortSignal) => {
		checkJob(job);
		const added = await keys.record([uniqueKey, open, claim]);
		if (added && added.length > 0 && (end.aborted || !isOwn(added))) await keys.remove(added);
		return added;
	};
	const delayMs = getCheckMs(isOnWorker(context) ? CHECK_MS : undefined);
	if (isClaimed) await pause(delayMs, run.signal);
	const added = await keys.inTurn(record, MAX_SILENCE_MS, run.signal).catch((error: unknown) => {
		checkJob(job);
		if (error !== TIMED_OUT) throw error;
	});
	if (!added) throw new RequestFailure({ kind: 'keysUnavailable', uniqueKey });
	if (isClaimed && added.length === 0) return true;
	if (isOwn(added) || isClaimed) ledger.keep({ key: isOwn(added) ? key : undefined });
	// A claim that was overwritten is checked again.
	if (isOwn(added)) return !isClaimed || (await claimKey(job, true));
	const isOfRun = listStates(context).some(([, state]) => state.key === key);
	if (isOfRun) throw new RequestFailure({ kind: 'keyTwice', uniqueKey });
	if (!added.includes(open)) throw new RequestFailure({ kind: 'keyUsed', uniqueKey });
	if (!run.isAgentCall && !isInLoop(context)) return false;
	throw new RequestFailure({ kind: 'keyDone', uniqueKey });
}

/** Frees a claimed key, with proof that nothing was queued. Otherwise it is recorded again, for others may have overwritten it. */
export async function freeOrKeepKey({ context, ledger, order }: KeyedJob): Promise<void> {
	const { uniqueKey = '' } = order;
	const key = hashText(uniqueKey);
	if (ledger.state.key !== key) return;
	const isFree = ledger.state.stage === 'new';
	if (isFree) ledger.keep({ key: undefined });
	const keys = new Entries(context, 'node');
	const write = async () => {
		const entries = [uniqueKey, ...(ledger.state.finished ? [] : listOpenEntries(key))];
		await (isFree ? keys.remove(entries) : keys.record(entries));
	};
	const inTurn = async () => await keys.inTurn(write, MAX_END_MS).catch(() => undefined);
	await inTurn();
	if (!isFree && isOnWorker(context)) void pause(RENEW_MS).then(inTurn);
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
		return isDone && key !== undefined ? listOpenEntries(key) : [];
	});
	if (entries.length === 0) return;
	const keys = new Entries(first.context, 'node');
	const { signal } = first.run;
	const complete = async () => {
		await keys.remove(entries, signal);
		// n8n drops the output of an execution that was stopped meanwhile.
		if (signal.aborted) await keys.record(entries);
	};
	await keys.inTurn(complete, MAX_END_MS).catch(() => undefined);
}
