import type {
	IDataObject,
	IExecuteSingleFunctions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';
import { judgeReply } from './judgeReply';
import { ANSWER_TIMEOUT_MS, CREDENTIAL, REQUEST_DEFAULTS } from './requestDefaults';
import { sendWithRetries } from './sendWithRetries';

/**
 * Reads from the service outside of an operation's own request, by the same policy.
 *
 * @param request the path below the Base URL, and the query
 * @returns the body, whose `status` is `success`
 * @throws a RequestFailure
 */
export async function readFromApi(
	context: IExecuteSingleFunctions | ILoadOptionsFunctions,
	request: { url: string; qs?: IDataObject },
	maxTries: number,
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
				timeout: ANSWER_TIMEOUT_MS,
			},
		)) as IN8nHttpFullResponse;
		return judgeReply(response);
	};
	// A read is never told that it was cleared already.
	return (await sendWithRetries(send, { requestKind: 'read', maxTries })) as Awaited<
		ReturnType<typeof send>
	>;
}
