import { NodeOperationError } from 'n8n-workflow';
import type { RequestStep } from '../prepareRequest';
import { encodePathSegment } from './encodePathSegment';
import { readQueueId } from './readQueueId';

/** Appends the "Queue ID" to the path. */
export const setQueueIdInPath: RequestStep = (context, request) => {
	const queueId = readQueueId(context, request);
	const segment = encodePathSegment(queueId);
	if (segment === undefined) {
		throw new NodeOperationError(context.getNode(), '"Queue ID" is not the ID of a queue item', {
			itemIndex: context.getItemIndex(),
			description: `Enter the queueId that Queue > Add has returned. Nothing was sent.`,
		});
	}
	request.url = `${request.url}/${segment}`;
};
