import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { CREDENTIAL, getAccountKey } from '../../../credentials/connection';
import { fetchRemainingCredits } from '../api/endpoints';
import { hideKey } from '../api/hideKey';
import { classifyError } from '../failures/classifyError';
import { RequestFailure } from '../failures/failure';
import { describeFailure } from '../failures/texts';
import type { Job, SpendingLimit } from './job';
import { createInputError, getOption, parseNumber } from './parameters';

/**
 * @throws a NodeOperationError for an option that is set without a number: a misspelt column must not
 * turn the guard off
 */
export function getSpendingLimit(context: IExecuteSingleFunctions): SpendingLimit {
	return {
		keep: getCredits(context, 'creditsToKeep', 'Credits to Keep', (credits) => credits >= 0),
		cost:
			getCredits(context, 'creditsPerVideo', 'Credits per Video', (credits) => credits > 0) ?? 1,
	};
}

function getCredits(
	context: IExecuteSingleFunctions,
	name: string,
	label: string,
	isInRange: (credits: number) => boolean,
): number | undefined {
	const { isSet, value } = getOption(context, name);
	if (!isSet) return undefined;
	const credits = parseNumber(value);
	if (credits !== undefined && Number.isFinite(credits) && isInRange(credits)) return credits;
	const range = isInRange(0) ? 'a number of 0 or more' : 'a number above 0';
	throw createInputError(
		context,
		credits === undefined ? `'${label}' is empty` : `'${label}' must be ${range}`,
		`Enter ${range} in '${label}' under 'Options', or remove the option. If it is an expression, check that it has a value for this item. Nothing was sent for this item.`,
	);
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
			const key = getAccountKey(await job.context.getCredentials(CREDENTIAL));
			accounts.set(key, [...(accounts.get(key) ?? []), job]);
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
	try {
		const remainingCredits = await fetchCredits(first);
		const credits = jobs.reduce((sum, { spending }) => sum + (spending?.cost ?? 0), 0);
		let left = remainingCredits;
		for (const job of jobs) {
			const { keep, cost = 0 } = job.spending ?? {};
			if (keep === undefined || left - cost >= keep) {
				left -= cost;
			} else {
				const budget = { videos: jobs.length, credits, keep };
				job.problem = new RequestFailure({ kind: 'overBudget', remainingCredits, budget });
			}
		}
	} catch (problem) {
		for (const job of guarded) job.problem = problem;
	}
}

/** @throws a RequestFailure of the kind `creditsUnknown` */
async function fetchCredits({ context, request, maxTries, run }: Job): Promise<number> {
	const { proxy, skipSslCertificateValidation } = request;
	try {
		const credits = await fetchRemainingCredits(context, {
			maxTries,
			signal: run.signal,
			connection: { proxy, skipSslCertificateValidation },
		});
		if (credits !== undefined) return credits;
	} catch (error) {
		throw await createCreditsUnknown(context, error);
	}
	throw new RequestFailure({
		kind: 'creditsUnknown',
		reason: 'The response has no number of credits.',
	});
}

async function createCreditsUnknown(
	context: IExecuteSingleFunctions,
	error: unknown,
): Promise<RequestFailure> {
	const failure = await hideKey(context, classifyError(error));
	if (failure.kind === 'cancelled') return failure.with({ tries: 0 });
	const { message, description } = describeFailure(failure, { requestKind: 'read' });
	const { httpCode } = failure.facts;
	return new RequestFailure({
		kind: 'creditsUnknown',
		reason: `${message}. ${description}`,
		httpCode,
	});
}
