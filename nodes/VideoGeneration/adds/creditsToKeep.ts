import { fetchRemainingCredits } from '../api/endpoints';
import type { Service } from '../api/request';
import { classifyError } from '../failures/errors';
import { RequestFailure } from '../failures/failure';
import type { Run } from '../item/job';
import type { VideoJob } from './sendAdd';

/** What was read of the credits so long ago is read again: others spend them, too. */
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

/**
 * Sends an add once if the account has enough credits for it. The guarded adds of an account take turns, so the next
 * one is checked when this one has its response. Without "Credits to Keep", nothing is checked.
 *
 * @throws a RequestFailure when the add would leave fewer credits than "Credits to Keep"
 */
export async function guardCredits<T>(
	{ api, ledger, order, run }: VideoJob,
	service: Service,
	send: () => Promise<T>,
): Promise<T> {
	if (order.spending === undefined) return await send();
	const { cost, keep } = order.spending;
	const fetchCredits = async () => await fetchRemainingCredits(service, api);
	const budget = openBudget(service.account, run, fetchCredits);
	const remainingCredits = await budget.credits;
	if (remainingCredits - cost < keep) {
		throw new RequestFailure({ kind: 'overBudget', tries: 0, remainingCredits, cost, keep });
	}
	try {
		return await send();
	} finally {
		if (ledger.state.stage !== 'new') budget.credits = Promise.resolve(remainingCredits - cost);
	}
}

/** The credits that were read since a run has started, and a short while ago. */
function openBudget(account: number, run: Run, fetchCredits: () => Promise<number>): Budget {
	const now = performance.now();
	for (const [key, { readAt }] of budgets) {
		if (now >= readAt + MAX_AGE_MS) budgets.delete(key);
	}
	const known = budgets.get(account);
	if (known && (known.run === run || known.readAt > run.startedAt)) return known;
	const credits = fetchCredits().catch((error: unknown) => {
		const cause = classifyError(error);
		// Another execution's item is checked for itself.
		if (cause.kind === 'cancelled') {
			budgets.delete(account);
			throw cause.with({ tries: 0 });
		}
		// A failure has taken all of its tries, and counts from now on.
		budget.readAt = performance.now();
		const { httpCode } = cause.facts;
		throw new RequestFailure({ kind: 'creditsUnknown', tries: 0, cause, httpCode });
	});
	const budget = { credits, readAt: now, run };
	budgets.set(account, budget);
	return budget;
}
