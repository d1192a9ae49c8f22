import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { WHOLE_LIST } from './answerLimits';
import { createApiError } from '../failures/createApiError';
import { hideKey } from './hideKey';
import { POLL } from './operationPolicies';
import { readFailure } from '../failures/readFailure';
import { readFromApi } from './readFromApi';
import { DEFAULT_MAX_TRIES } from './requestDefaults';
import { requireList } from './steps/requireField';

/** n8n polls once a minute at the most: what takes longer than that is left to the next poll. */
const LONGEST_POLL_MS = 60_000;

/**
 * The whole video log for one poll (specification, "GET /v1/videos"): one request, sent again as
 * the policy allows and as long as n8n waits for a poll.
 *
 * @returns the logs as they came, in no particular order
 * @throws a NodeApiError with the right `httpCode`
 */
export async function readVideoLogs(context: IPollFunctions): Promise<IDataObject[]> {
	// Older n8n, such as 2.36, has no such limit.
	const { getPollBudgetMs = () => LONGEST_POLL_MS } = context as Partial<IPollFunctions>;
	const deadline = Date.now() + Math.min(getPollBudgetMs.call(context), LONGEST_POLL_MS);
	const outcome = await readFromApi(
		context,
		{ url: '/v1/videos' },
		WHOLE_LIST,
		DEFAULT_MAX_TRIES,
		deadline,
	)
		.then((body) => ({ logs: requireList(body, 'videos') }))
		.catch((reason: unknown) => ({ reason }));
	if ('reason' in outcome) {
		const failure = await hideKey(context, readFailure(outcome.reason));
		throw createApiError(context.getNode(), failure, POLL);
	}
	return outcome.logs;
}
