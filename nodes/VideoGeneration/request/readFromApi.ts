import type {
	IDataObject,
	IExecuteSingleFunctions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	IPollFunctions,
} from 'n8n-workflow';
import type { AnswerLimits } from './answerLimits';
import { judgeReply } from './judgeReply';
import { readAnswer } from './readAnswer';
import { ANSWER_TIMEOUT_MS, CREDENTIAL, REQUEST_DEFAULTS } from './requestDefaults';
import { sendWithRetries } from './sendWithRetries';

/** A try that has less time than this for its answer is not begun. */
const SHORTEST_TRY_MS = 1_000;

/**
 * Reads from the service outside of an operation's own request, by the same policy.
 *
 * @param request the path below the Base URL, and the query
 * @param limits how much of an answer is taken in
 * @param deadline when it must be over, whatever comes of it (milliseconds since 1970)
 * @returns the body, whose `status` is `success`
 * @throws a RequestFailure
 */
export async function readFromApi(
	context: IExecuteSingleFunctions | ILoadOptionsFunctions | IPollFunctions,
	request: { url: string; qs?: IDataObject },
	limits: AnswerLimits,
	maxTries: number,
	deadline = Infinity,
): Promise<IDataObject | IDataObject[]> {
	const send = async () => {
		const response = (await context.helpers.httpRequestWithAuthentication.call(
			context,
			CREDENTIAL,
			{
				...REQUEST_DEFAULTS,
				...request,
				method: 'GET',
				returnFullResponse: true,
				timeout: Math.min(ANSWER_TIMEOUT_MS, Math.max(deadline - Date.now(), SHORTEST_TRY_MS)),
			},
		)) as IN8nHttpFullResponse;
		return judgeReply(await readAnswer(response, limits));
	};
	// A read is never told that it was cleared already.
	return (await sendWithRetries(send, {
		requestKind: 'read',
		maxTries,
		signals: 'getExecutionCancelSignal' in context ? [context.getExecutionCancelSignal()] : [],
		deadline: deadline - SHORTEST_TRY_MS,
	})) as Awaited<ReturnType<typeof send>>;
}
