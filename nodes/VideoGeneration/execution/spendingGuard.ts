import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { fetchRemainingCredits } from '../api/endpoints';
import type { TakeSlot } from '../api/pacing';
import { createSlots } from '../api/pacing';
import { resolveWithRetries } from '../api/request';
import { classifyError } from '../failures/errors';
import { RequestFailure } from '../failures/failure';
import { describeFailure } from '../failures/texts';
import type { Budget, Job, SpendingLimit } from './job';
import { createInputError, parseNumber } from './parameters';

/**
 * @throws a NodeOperationError for an option that is set without a number: a misspelt column must not
 * turn the guard off
 */
export function getSpendingLimit(
	context: IExecuteSingleFunctions,
	options: Record<string, unknown>,
): SpendingLimit {
	return {
		keep: getCredits(context, options, 'creditsToKeep', 'Credits to Keep', (each) => each >= 0),
		cost:
			getCredits(context, options, 'creditsPerVideo', 'Credits per Video', (each) => each > 0) ?? 1,
	};
}

function getCredits(
	context: IExecuteSingleFunctions,
	options: Record<string, unknown>,
	name: string,
	label: string,
	isInRange: (credits: number) => boolean,
): number | undefined {
	if (!(name in options)) return undefined;
	const credits = parseNumber(options[name]);
	if (credits !== undefined && Number.isFinite(credits) && isInRange(credits)) return credits;
	const range = isInRange(0) ? 'a number of 0 or more' : 'a number above 0';
	throw createInputError(
		context,
		credits === undefined ? `'${label}' is empty` : `'${label}' must be ${range}`,
		`Enter ${range} in '${label}' under 'Options', or remove the option. If it is an expression, check that it has a value for this item. Nothing was sent for this item.`,
	);
}

/** The turns of guarded calls, by n8n's data that all calls of an agent share. */
const turns = new WeakMap<object, TakeSlot>();

/**
 * Runs an agent's call. The agent may call its tool several times at once: a guarded call begins when the one
 * before it has ended, so that it reads the credits that are left then.
 */
export async function runCall<T>({ context, spending }: Job, call: () => Promise<T>): Promise<T> {
	if (spending?.keep === undefined) return await call();
	const agent = context.getExecuteData();
	const inTurn = turns.get(agent) ?? createSlots(1);
	turns.set(agent, inTurn);
	return await inTurn(call);
}

/**
 * Prevents the adds that would leave fewer credits than "Credits to Keep". Each account is requested
 * once, and only if the guard is on. Items that an earlier try has queued cost nothing more.
 */
export async function guardSpending(jobs: Job[]): Promise<void> {
	if (jobs.every(({ spending }) => spending?.keep === undefined)) return;
	const unsent = jobs.filter(
		({ problem, memory }) =>
			problem === undefined && memory.state.queueId === undefined && !memory.isFateUnknown(),
	);
	const accounts = new Map<string, Job[]>();
	for (const job of unsent) {
		try {
			const retries = { maxTries: job.maxTries, signal: job.run.signal };
			const { account } = await resolveWithRetries(job.context, retries);
			accounts.set(account, [...(accounts.get(account) ?? []), job]);
		} catch (problem) {
			job.problem = problem;
		}
	}
	await Promise.all([...accounts.values()].map(guardAccount));
}

async function guardAccount(jobs: Job[]): Promise<void> {
	const guarded = jobs.filter(({ spending }) => spending?.keep !== undefined);
	const [first] = guarded;
	if (first === undefined) return;
	const { context, maxTries, run, connection } = first;
	try {
		const options = { maxTries, signal: run.signal, connection };
		const service = await resolveWithRetries(context, options);
		const remainingCredits = await fetchRemainingCredits(service.context, options);
		const credits = jobs.reduce((sum, { spending }) => sum + (spending?.cost ?? 0), 0);
		const budget = { remainingCredits, left: remainingCredits, videos: jobs.length, credits };
		for (const job of jobs) job.budget = budget;
		if (run.stopsOnError) noteOverBudget(jobs, { ...budget });
	} catch (error) {
		const problem = toCreditsUnknown(classifyError(error));
		for (const job of guarded) job.problem = problem;
	}
}

/** With the node set to stop, either all items are sent or none is. */
function noteOverBudget(jobs: Job[], budget: Budget): void {
	for (const job of jobs) {
		try {
			spend({ spending: job.spending, budget });
		} catch (problem) {
			job.problem = problem;
		}
	}
}

/** Credits may be fractions, which don't add up exactly. */
const TOLERANCE = 1e-9;

/**
 * Takes the cost of an item from its account's budget, just before its add is sent.
 *
 * @returns a function that gives the cost back: the key was used, or the add was refused or never sent
 * @throws a RequestFailure when the rest would be less than "Credits to Keep"
 */
export function spend({ budget, spending }: Pick<Job, 'budget' | 'spending'>): () => void {
	if (budget === undefined || spending === undefined) return () => undefined;
	const { keep, cost } = spending;
	if (keep !== undefined && budget.left - cost < keep - TOLERANCE) {
		const { remainingCredits, videos, credits } = budget;
		const facts = { remainingCredits, budget: { videos, credits, keep } };
		throw new RequestFailure({ kind: 'overBudget', ...facts });
	}
	budget.left -= cost;
	return () => {
		budget.left += cost;
	};
}

function toCreditsUnknown(failure: RequestFailure): RequestFailure {
	if (failure.kind === 'cancelled') return failure.with({ tries: 0 });
	const { message, description } = describeFailure(failure, { requestKind: 'read' });
	const reason = `${message}. ${description}`;
	const { httpCode } = failure.facts;
	return new RequestFailure({ kind: 'creditsUnknown', reason, httpCode });
}
