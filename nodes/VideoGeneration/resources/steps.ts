import type {
	IDataObject,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	PreSendAction,
} from 'n8n-workflow';
import { checkResponse } from '../api/response';
import { MAX_LIST_BYTES, MAX_OBJECT_BYTES } from '../api/responseBody';
import type { ResponseStep } from '../execution/job';

/** A step before the request is sent, which changes it in place. */
export function createPreSend(
	change: (context: IExecuteSingleFunctions, request: IHttpRequestOptions) => void,
): PreSendAction {
	return async function (request) {
		change(this, request);
		return await Promise.resolve(request);
	};
}

/** A step after `checkObject` or `checkList`: from the response's body to the output. */
export function createPostReceive(map: (body: IDataObject) => IDataObject[]): ResponseStep {
	return async ([item]) => await Promise.resolve(map(item?.json ?? {}).map((json) => ({ json })));
}

/** The first step for a response about one object: the steps after it see the body of a proper response. */
export const checkObject = createCheck(MAX_OBJECT_BYTES);

/** Like `checkObject`, for a response that is a whole list: the API has no paging. */
export const checkList = createCheck(MAX_LIST_BYTES);

function createCheck(maxBytes: number): ResponseStep {
	return async (_items, response) => [
		{ json: (await checkResponse(response, maxBytes)) as IDataObject },
	];
}
