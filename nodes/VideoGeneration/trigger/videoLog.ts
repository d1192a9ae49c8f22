import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import type { RetryOptions } from '../api/retry';
import { sendWithRetries } from '../api/retry';
import { WHOLE_LIST } from '../request/answerLimits';
import { readFromApi } from '../request/readFromApi';
import { requireList } from '../request/steps/requireField';

/** A try with less time than this for its response is not started. */
const MIN_TRY_MS = 1_000;

/** The whole video log, in no particular order (specification, "GET /v1/videos"). */
export async function fetchVideoLog(
	context: IPollFunctions,
	{ deadline = Infinity, ...retries }: Omit<RetryOptions, 'requestKind'>,
): Promise<IDataObject[]> {
	const send = async () => {
		const endsAt = Math.round(Date.now() + deadline - performance.now());
		const body = await readFromApi(context, { url: '/v1/videos' }, WHOLE_LIST, 1, endsAt);
		return requireList(body, 'videos');
	};
	return await sendWithRetries(send, {
		...retries,
		requestKind: 'read',
		deadline: deadline - MIN_TRY_MS,
	});
}
