import type { IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';
import { encodePathSegment } from '../../api/endpoints';
import { createInputError, getId } from '../../item/parameters';
import type { FailureText } from '../../failures/texts';

/** The queue item of an operation. Declared once: n8n's routing evaluates it for each declaration. */
export const queueIdField: INodeProperties = {
	displayName: 'Queue ID',
	name: 'queueId',
	type: 'string',
	displayOptions: { show: { resource: ['queue'], operation: ['clear', 'getProgress', 'wait'] } },
	required: true,
	default: '',
	placeholder: 'e.g. {{ $json.queueId }}',
	description: "The 'queueId' that Queue > Add returned for the video",
};

export const QUEUE_ITEM_NOT_FOUND: FailureText = {
	message: 'The video service has no queue item with this ID',
	description:
		"Check 'Queue ID' of this item. The queue item may belong to another account, may have been deleted, or may have left the queue because its video is finished. Look for the video with Video > Get Many.",
};

/** "Queue ID". @throws a NodeOperationError when it is empty, or cannot be a part of a path */
export function getQueueId(context: IExecuteSingleFunctions): string {
	const queueId = getId(context, context.getNodeParameter('queueId', ''), 'Queue ID');
	if (encodePathSegment(queueId) !== undefined) return queueId;
	throw createInputError(
		context,
		queueId === '' ? "'Queue ID' is empty" : "'Queue ID' is not the ID of a queue item",
		"Enter the 'queueId' that Queue > Add returned. If it is an expression, check that it has a value for this item. Nothing was sent.",
	);
}
