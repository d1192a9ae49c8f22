import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { ONE_THING } from './answerLimits';
import { readFromApi } from './readFromApi';

/**
 * The account's credits (specification, "GET /v1/user/account"), to make an error about them clear.
 *
 * @returns undefined when they cannot be read: the error that they belong to matters more
 */
export async function readRemainingCredits(
	context: IExecuteSingleFunctions,
): Promise<number | undefined> {
	const account = await readFromApi(context, { url: '/v1/user/account' }, ONE_THING, 1).catch(
		() => undefined,
	);
	const usage = Array.isArray(account) ? undefined : account?.usage;
	const credits = (usage as { remainingCredits?: unknown } | undefined)?.remainingCredits;
	return typeof credits === 'number' ? credits : undefined;
}
