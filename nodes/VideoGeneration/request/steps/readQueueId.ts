import type { IExecuteSingleFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { readParameter } from '../readParameter';
import { readText } from '../readText';
import { addDetails } from '../prepareRequest';

/**
 * The "Queue ID" of an item, also noted for its error's `details`. Spaces and line breaks around
 * it come from copying.
 *
 * @throws a NodeOperationError when it is empty
 */
export function readQueueId(
	context: IExecuteSingleFunctions,
	request: IHttpRequestOptions,
): string {
	const queueId = readText(readParameter(context, 'queueId'));
	if (queueId === '') {
		throw new NodeOperationError(context.getNode(), '"Queue ID" is empty', {
			itemIndex: context.getItemIndex(),
			description:
				'Enter the queueId that Queue > Add has returned. If it is an expression, check that it finds a value for this item. Nothing was sent.',
		});
	}
	addDetails(request, { queueId });
	return queueId;
}
