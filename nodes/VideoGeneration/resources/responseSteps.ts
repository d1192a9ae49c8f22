import type {
	IDataObject,
	IExecuteSingleFunctions,
	IN8nHttpFullResponse,
	INodeExecutionData,
} from 'n8n-workflow';
import { checkResponse, isObject, requireList } from '../api/response';
import { MAX_LIST_BYTES, MAX_OBJECT_BYTES } from '../api/responseBody';
import { getLimit } from '../execution/parameters';

/** The first step for a response about one object: the steps after it see the body of a proper response. */
export const checkObject = createCheck(MAX_OBJECT_BYTES);

/** Like `checkObject`, for a response that is a whole list: the API has no paging. */
export const checkList = createCheck(MAX_LIST_BYTES);

function createCheck(maxBytes: number) {
	return async (
		_items: INodeExecutionData[],
		response: IN8nHttpFullResponse,
	): Promise<INodeExecutionData[]> => [
		{ json: (await checkResponse(response, maxBytes)) as IDataObject },
	];
}

/** The body that `checkObject` or `checkList` passed on. */
export function getBody([item]: INodeExecutionData[]): IDataObject {
	return item?.json ?? {};
}

/** One item for each entry of a list, unwrapped from its envelope. */
export function unwrapList(field: string) {
	return async (items: INodeExecutionData[]): Promise<INodeExecutionData[]> => {
		const entries = requireList(getBody(items), field).filter(isObject);
		return await Promise.resolve(entries.map((json) => ({ json })));
	};
}

/** The first "Limit" items, unless "Return All" is on. */
export async function limitItems(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	return await Promise.resolve(items.slice(0, getLimit(this)));
}
