import { hashText } from '../api/hashText';
import { pause } from '../api/pacing';
import { RequestFailure, TIMED_OUT } from '../failures/failure';
import { checkJob, type Job, type Outcome } from '../item/job';
import { listStates } from '../item/ledger';
import { isInLoop } from '../n8n/calls';
import { getCheckMs, MAX_END_MS, MAX_SILENCE_MS, Records } from '../n8n/records';
import { isOnWorker } from '../n8n/execution';

type KeyedJob = Job<{ uniqueKey?: string | undefined }>;

/** On workers, how long a key must be held, and when it is recorded once more: writes of others may overwrite it. */
const CHECK_MS = 1_000;
const RENEW_MS = 10_000;

/** What is recorded of a key until its video has come out. What is left by mistake makes its row fail, not vanish. */
const listUndone = (key: number, claim = 0): [undone: string, holder: string] => [
	`The video of ${key} has not come out`,
	`The claim ${claim} of ${key}`,
];

/**
 * Takes an item's unique key, if it has one, with records that are written at once: n8n may be killed in between.
 * @param isCheck to check that the key is held, just before the add: of several executions, n8n keeps the row of the last one
 * @returns false if the video of the key came out before: the item is left out, as n8n's own Remove Duplicates does
 * @throws a RequestFailure: nothing was sent
 */
export async function takeKey(job: KeyedJob, { isCheck = false } = {}): Promise<boolean> {
	const { context, ledger, order, run } = job;
	const { uniqueKey } = order;
	if (uniqueKey === undefined) return true;
	const keys = new Records(context, 'node');
	const key = hashText(uniqueKey);
	// Two executions of one process can have taken it, too.
	const { claim } = isCheck ? ledger.state : { claim: Math.random() };
	const [undone, holder] = listUndone(key, claim);
	const isTaken = (added: string[]) => added.includes(uniqueKey) && added.includes(undone);
	const record = async (end: AbortSignal) => {
		checkJob(job);
		const added = await keys.record([uniqueKey, undone, holder]);
		if (added?.length && (end.aborted || !isTaken(added))) await keys.remove(added);
		return added;
	};
	if (isCheck) await pause(getCheckMs(isOnWorker(context) ? CHECK_MS : undefined), run.signal);
	const added = await keys.alone(record, MAX_SILENCE_MS, run.signal).catch((error: unknown) => {
		checkJob(job);
		if (error !== TIMED_OUT) throw error;
	});
	if (!added) throw new RequestFailure({ kind: 'keysUnavailable', uniqueKey });
	if (isCheck && added.length === 0) return true;
	if (isTaken(added) || isCheck) ledger.keep({ key: isTaken(added) ? key : undefined, claim });
	// One that was overwritten, and is taken again now, is checked again.
	if (isTaken(added)) return !isCheck || (await takeKey(job, { isCheck }));
	const isOfRun = listStates(context).some(([, state]) => state.key === key);
	if (isOfRun) throw new RequestFailure({ kind: 'keyTwice', uniqueKey });
	if (!added.includes(undone)) throw new RequestFailure({ kind: 'keyUsed', uniqueKey });
	if (!run.isAgentCall && !isInLoop(context)) return false;
	throw new RequestFailure({ kind: 'keyDone', uniqueKey });
}

/**
 * Frees a key that was taken, with proof that nothing was queued. Otherwise it is recorded again, for others may have overwritten it.
 * @param isConfirmed whether the check has found that it is held
 */
export async function freeOrKeepKey(job: KeyedJob, isConfirmed: boolean): Promise<void> {
	const { context, ledger, order } = job;
	const { uniqueKey = '' } = order;
	const key = hashText(uniqueKey);
	if (ledger.state.key !== key) return;
	const isFree = ledger.state.stage === 'new';
	if (isFree) ledger.keep({ key: undefined });
	const keys = new Records(context, 'node');
	const write = async () => {
		const { claim, finished } = ledger.state;
		const [undone, holder] = listUndone(key, claim);
		if (!isFree) {
			await keys.record(finished ? [uniqueKey] : [uniqueKey, undone, holder]);
			return;
		}
		if (!isConfirmed) await pause(getCheckMs(isOnWorker(context) ? CHECK_MS : undefined));
		// If another execution has overwritten the claim, the key is that one's.
		const isOwn = isConfirmed || (await keys.record([holder]))?.length === 0;
		await keys.remove(isOwn ? [uniqueKey, undone, holder] : [holder]);
	};
	const writeAlone = async () => await keys.alone(write, MAX_END_MS).catch(() => undefined);
	await writeAlone();
	if (!isFree && isOnWorker(context)) void pause(RENEW_MS).then(writeAlone);
}

/** Notes the keys whose videos come out of a run: their rows are done. n8n drops the output of one that ends early. */
export async function completeKeys(jobs: KeyedJob[], outcomes: Outcome[]): Promise<void> {
	const [first] = jobs;
	const shown = outcomes.find((each) => 'reason' in each || each.output.length > 0);
	if (first === undefined || first.run.signal.aborted) return;
	if (shown && 'reason' in shown && first.run.hasNextTry) return;
	const records = jobs.flatMap(({ ledger: { state } }, index) => {
		const { claim, finished, key, unidentified } = state;
		const isDone = 'output' in (outcomes[index] ?? {}) && finished && !unidentified;
		return isDone && key !== undefined ? listUndone(key, claim) : [];
	});
	if (records.length === 0) return;
	const keys = new Records(first.context, 'node');
	const { signal } = first.run;
	const complete = async () => {
		await keys.remove(records, signal);
		// n8n drops the output of an execution that was stopped meanwhile.
		if (signal.aborted) await keys.record(records);
	};
	await keys.alone(complete, MAX_END_MS).catch(() => undefined);
}
