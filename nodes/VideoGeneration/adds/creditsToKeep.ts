import { fetchRemainingCredits } from '../api/endpoints';
import { createSlots, pause } from '../api/pacing';
import type { Service } from '../api/request';
import { classifyError } from '../failures/errors';
import { RequestFailure } from '../failures/failure';
import { SharedByRuns } from '../item/job';
import type { VideoJob } from './sendAdd';

/** What was read of the credits so long ago is read again: others spend them, too. */
const MAX_AGE_MS = 5_000;

/** The credits of an account, which its guarded adds share. */
class Budget {
	/** Checks and sends one add at a time. */
	readonly takeTurn = createSlots(1);

	readAt = -Infinity;

	/** What the last add has left, or why it is not known. */
	credits: number | RequestFailure = 0;
}

/** By account. */
const budgets = new SharedByRuns<number, Budget>();

/**
 * Sends an add once if the account has enough credits for it. The next guarded add of the account is checked when this
 * one has its response. Without "Credits to Keep", nothing is checked.
 *
 * @throws a RequestFailure when the add would leave fewer credits than "Credits to Keep"
 */
export async function guardCredits<T>(
	job: VideoJob,
	service: Service,
	send: () => Promise<T>,
): Promise<T> {
	const { ledger, order, run } = job;
	if (order.spending === undefined) return await send();
	const budget = budgets.get(service.account, run, () => new Budget());
	const { cost, keep } = order.spending;
	return await budget.takeTurn(async () => {
		// The failure of the add before this one ends its run first.
		await pause(1, run.signal);
		const remainingCredits = await readCredits(job, service, budget);
		if (remainingCredits - cost < keep) {
			throw new RequestFailure({ kind: 'overBudget', tries: 0, remainingCredits, cost, keep });
		}
		try {
			return await send();
		} finally {
			if (ledger.state.stage !== 'new') budget.credits = remainingCredits - cost;
		}
	}, run.signal);
}

/** @throws a RequestFailure: nothing is sent without this number */
async function readCredits({ api }: VideoJob, service: Service, budget: Budget): Promise<number> {
	if (performance.now() >= budget.readAt + MAX_AGE_MS) {
		const readAt = performance.now();
		budget.credits = await fetchRemainingCredits(service, api).catch((error: unknown) => {
			const cause = classifyError(error);
			// Another execution's item is checked for itself.
			if (cause.kind === 'cancelled') throw cause.with({ tries: 0 });
			const { httpCode } = cause.facts;
			return new RequestFailure({ kind: 'creditsUnknown', tries: 0, cause, httpCode });
		});
		// The credits may have changed since they were asked for; a failure has taken all of its tries.
		budget.readAt = typeof budget.credits === 'number' ? readAt : performance.now();
	}
	if (typeof budget.credits !== 'number') throw budget.credits;
	return budget.credits;
}
