import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { fetchRemainingCredits } from '../api/endpoints';
import type { TakeSlot } from '../api/pacing';
import { createSlots } from '../api/pacing';
import type { Service } from '../api/request';
import { classifyError } from '../failures/errors';
import { RequestFailure } from '../failures/failure';
import type { Job } from '../item/job';
import { createInputError, getCollection, parseNumber } from '../item/parameters';
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
	const getCredits = (name: string, label: string, isInRange: (credits: number) => boolean) => {
		if (!(name in options)) return undefined;
		const credits = parseNumber(options[name]);
		if (credits !== undefined && Number.isFinite(credits) && isInRange(credits)) return credits;
		const range = isInRange(0) ? 'a number of 0 or more' : 'a number above 0';
		throw createInputError(
			context,
			credits === undefined ? `'${label}' is empty` : `'${label}' must be ${range}`,
			`Enter ${range} in '${label}' under 'Options', or remove the option. If it is an expression, check that it has a value for this item. Nothing was sent for this item.`,
		);
	};
	const keep = getCredits('creditsToKeep', 'Credits to Keep', (credits) => credits >= 0);
	const cost = getCredits('creditsPerVideo', 'Credits per Video', (credits) => credits > 0) ?? 1;
	return keep === undefined ? undefined : { keep, cost };
}

/** The turns of guarded calls, by n8n's data that all calls of an agent share. */
const turns = new WeakMap<object, TakeSlot>();

/**
 * Runs an agent's call. The agent may call its tool several times at once: a guarded call begins when the one
 * before it has ended, so that it reads the credits that are left then.
 */
export async function runCall<T>({ context, order }: Job, call: () => Promise<T>): Promise<T> {
	if ((order as Partial<VideoOrder> | undefined)?.spending === undefined) return await call();
	const agent = context.getExecuteData();
	const inTurn = turns.get(agent) ?? createSlots(1);
	turns.set(agent, inTurn);
	return await inTurn(call);
}

/**
 * Fetches an account's credits, once in a run, just before its first guarded add is sent.
 *
 * @returns a function that takes the cost of the video from them; undefined where the guard is off
 * @throws a RequestFailure when the add would leave fewer credits than "Credits to Keep"
 */
export async function guardCredits(
	{ api, run, order: { spending } }: Job<VideoOrder>,
	service: Service,
): Promise<{ spend: () => void } | undefined> {
	if (spending === undefined) return undefined;
	const { cost, keep } = spending;
	const fetchBudget = async () => ({ left: await fetchRemainingCredits(service, api) });
	const budget = await run
		.share(`credits ${service.account}`, Infinity, fetchBudget)
		.catch((error: unknown) => {
			const cause = classifyError(error);
			if (cause.kind === 'cancelled') throw cause.with({ tries: 0 });
			const { httpCode } = cause.facts;
			throw new RequestFailure({ kind: 'creditsUnknown', cause, httpCode });
		});
	const remainingCredits = budget.left;
	if (remainingCredits - cost < keep) {
		throw new RequestFailure({ kind: 'overBudget', remainingCredits, cost, keep });
	}
	const spend = () => {
		budget.left -= cost;
	};
	return { spend };
}
