import { fetchRemainingCredits } from '../api/endpoints';
import type { Service } from '../api/request';
import { classifyError } from '../failures/errors';
import { RequestFailure } from '../failures/failure';
import type { Run } from '../item/job';
import { listSent } from '../item/earlierCalls';
import type { VideoJob } from './sendAdd';

/** Others spend credits, too. */
const MAX_AGE_MS = 5_000;

/** The credits that an account's last guarded add has left. */
interface Budget {
	/** Rejected if they could not be read: nothing is sent without them. */
	credits: Promise<number>;
	readAt: number;
	/** The run that has read them. */
	run: Run;
}

/** By account, as long as they count. */
const budgets = new Map<number, Budget>();

/** The keys of a guarded add's turns: the next one is checked when this one has its response. A list is a key itself. */
export function listTurnKeys({ context, order }: VideoJob, { keyId }: Service): unknown[] {
	const ofExecution = order.maxVideos === undefined ? [] : [listSent(context)];
	return order.spending === undefined ? ofExecution : [...ofExecution, `credits ${keyId}`];
}

/** @throws a RequestFailure if the execution has queued as many videos as "Max Videos" allows */
export function checkMaxVideos({ context, order: { maxVideos } }: VideoJob): void {
	if (maxVideos === undefined || listSent(context).length < maxVideos) return;
	throw new RequestFailure({ kind: 'tooManyVideos', tries: 0, maxVideos });
}

/** @throws a RequestFailure if an add would leave fewer credits than "Credits to Keep" */
export async function checkCredits(job: VideoJob, service: Service): Promise<Budget | undefined> {
	const { spending } = job.order;
	if (spending === undefined) return undefined;
	const { cost, creditsToKeep } = spending;
	const budget = await getBudget(job, service);
	const remainingCredits = await budget.credits;
	if (subtract(remainingCredits, cost) >= creditsToKeep) return budget;
	throw new RequestFailure({ kind: 'overBudget', tries: 0, remainingCredits, cost, creditsToKeep });
}

/** Subtracts to a millionth of a credit: 20 times 0.1 would be more than 2. */
const subtract = (credits: number, cost: number) => Math.round((credits - cost) * 1e6) / 1e6;

/** Counts an add that is sent now: an execution that is stopped meanwhile keeps it. @returns a function that takes it back */
export function countAdd({ context, order }: VideoJob, budget: Budget | undefined): () => void {
	const sent = order.maxVideos === undefined ? [] : listSent(context);
	const { cost = 0 } = order.spending ?? {};
	const before = budget?.credits;
	sent.push(performance.now());
	if (budget) budget.credits = budget.credits.then((credits) => subtract(credits, cost));
	return () => {
		sent.pop();
		if (budget && before) budget.credits = before;
	};
}

/** The credits that were read since the run has started, and a short while ago. */
async function getBudget({ api, run }: VideoJob, service: Service): Promise<Budget> {
	const since = performance.now() - MAX_AGE_MS;
	for (const [keyId, { readAt }] of budgets) if (readAt <= since) budgets.delete(keyId);
	const known = budgets.get(service.keyId);
	if (known && (known.run === run || known.readAt > run.startedAt)) return known;
	const credits = fetchRemainingCredits(service, api).catch((error: unknown) => {
		const cause = classifyError(error);
		if (cause.kind === 'cancelled') throw cause.with({ tries: 0 });
		const { httpCode } = cause.facts;
		throw new RequestFailure({ kind: 'creditsUnknown', tries: 0, cause, httpCode });
	});
	await Promise.allSettled([credits]);
	// A failure has taken all of its tries, so it counts from now on, unless the run has ended them.
	const budget = { credits, readAt: performance.now(), run };
	if (!run.signal.aborted) budgets.set(service.keyId, budget);
	return budget;
}
