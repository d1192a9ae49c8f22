import type { IExecuteSingleFunctions, IHttpRequestOptions, INodeProperties } from 'n8n-workflow';
import { encodePathSegment } from '../../api/endpoints';
import { createInputError, getId, getValue } from '../../execution/parameters';
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

/** "Queue ID". @throws a NodeOperationError when it is empty */
export function getQueueId(context: IExecuteSingleFunctions): string {
	const queueId = getId(context, getValue(context, 'queueId'), 'Queue ID');
	if (queueId !== '') return queueId;
	throw createInputError(
		context,
		"'Queue ID' is empty",
		"Enter the 'queueId' that Queue > Add returned. If it is an expression, check that it has a value for this item. Nothing was sent.",
	);
}

/** Appends "Queue ID" to the path. */
export function setQueueIdInPath(
	context: IExecuteSingleFunctions,
	request: IHttpRequestOptions,
): void {
	const segment = encodePathSegment(getQueueId(context));
	if (segment === undefined) {
		throw createInputError(
			context,
			"'Queue ID' is not the ID of a queue item",
			"Enter the 'queueId' that Queue > Add returned. Nothing was sent.",
		);
	}
	request.url = `${request.url}/${segment}`;
}

/** The "Queue ID" that `setQueueIdInPath` appended: of an agent's call, only the finished request is known. */
export function getIdsFromPath({ url }: IHttpRequestOptions): { queueId?: string } {
	const [, segment] = /\/progress\/([^/]+)$/.exec(url) ?? [];
	return segment === undefined ? {} : { queueId: decodeURIComponent(segment) };
}
