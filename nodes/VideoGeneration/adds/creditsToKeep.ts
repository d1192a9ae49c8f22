import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { fetchRemainingCredits } from '../api/endpoints';
import type { TakeSlot } from '../api/pacing';
import { createSlots } from '../api/pacing';
import type { Service } from '../api/request';
import { classifyError } from '../failures/errors';
import { RequestFailure } from '../failures/failure';
import type { Job } from '../item/job';
import { checkJob } from '../item/job';
import { getCollection, requireNumber } from '../item/parameters';
import type { VideoOrder } from './order';

/**
 * "Credits to Keep" and "Credits per Video".
 *
 * @returns undefined when the guard is off
 * @throws a NodeOperationError for an option that is set without a number: a misspelt column must not
 * turn the guard off
 */
export function getSpendingLimit(context: IExecuteSingleFunctions): VideoOrder['spending'] {
	const options = getCollection(context, 'options');
	const get = (name: string, label: string, isAbove: boolean) =>
		name in options
			? requireNumber(context, options[name], label, { min: 0, isAbove, where: "under 'Options'" })
			: undefined;
	const keep = get('creditsToKeep', 'Credits to Keep', false);
	const cost = get('creditsPerVideo', 'Credits per Video', true) ?? 1;
	return keep === undefined ? undefined : { keep, cost };
}

/** What was read of the credits so long ago is read again: others spend them, too. */
const MAX_AGE_MS = 5_000;

/** The credits of an account that its guarded adds share. */
interface Budget {
	takeTurn: TakeSlot;
	/** How many items share it. */
	users: number;
	readAt: number;
	/** What the last add has left, or why it is not known. */
	credits: number | RequestFailure;
}

/** By account: each while guarded items of any execution of this process are made. */
const budgets = new Map<number, Budget>();

/** Makes an item. Meanwhile, what is known of its account's credits is kept for the other guarded items. */
export async function shareBudget<T>(
	{ open, order, problem }: Job<VideoOrder>,
	make: () => Promise<T>,
): Promise<T> {
	if (problem !== undefined || order.spending === undefined) return await make();
	const { account } = await open();
	const budget = getBudget(account);
	budget.users += 1;
	try {
		return await make();
	} finally {
		budget.users -= 1;
		if (budget.users === 0) budgets.delete(account);
	}
}

function getBudget(account: number): Budget {
	const none = { takeTurn: createSlots(1), users: 0, readAt: -Infinity, credits: 0 };
	const budget = budgets.get(account) ?? none;
	budgets.set(account, budget);
	return budget;
}

/**
 * Sends an add if the account has enough credits for it. The next guarded add of the account is checked when this
 * one has its response. Without "Credits to Keep", nothing is checked.
 *
 * @throws a RequestFailure when the add would leave fewer credits than "Credits to Keep"
 */
export async function guardCredits<T>(
	job: Job<VideoOrder>,
	service: Service,
	send: () => Promise<T>,
): Promise<T> {
	const { ledger, order, run } = job;
	if (order.spending === undefined) return await send();
	const budget = getBudget(service.account);
	const { cost, keep } = order.spending;
	return await budget.takeTurn(async () => {
		checkJob(job);
		const remainingCredits = await readCredits(job, service, budget);
		if (remainingCredits - cost < keep) {
			throw new RequestFailure({ kind: 'overBudget', remainingCredits, cost, keep });
		}
		try {
			return await send();
		} finally {
			if (ledger.state.stage !== 'new') budget.credits = remainingCredits - cost;
		}
	}, run.signal);
}

function isFresh({ readAt }: Budget): boolean {
	return performance.now() < readAt + MAX_AGE_MS;
}

/** @throws a RequestFailure: nothing is sent without this number */
async function readCredits({ api }: Job, service: Service, budget: Budget): Promise<number> {
	if (!isFresh(budget)) {
		const readAt = performance.now();
		budget.credits = await fetchRemainingCredits(service, api).catch((error: unknown) => {
			const cause = classifyError(error);
			// Another execution's item is checked for itself.
			if (cause.kind === 'cancelled') throw cause.with({ tries: 0 });
			const { httpCode } = cause.facts;
			return new RequestFailure({ kind: 'creditsUnknown', cause, httpCode });
		});
		// The credits may have changed since they were asked for; a failure has taken all of its tries.
		budget.readAt = typeof budget.credits === 'number' ? readAt : performance.now();
	}
	if (typeof budget.credits !== 'number') throw budget.credits;
	return budget.credits;
}
