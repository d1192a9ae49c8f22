import type { IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';
import { encodePathSegment } from '../../api/endpoints';
import type { Operation } from '../../item/job';
import { CHECK_EXPRESSION, createInputError, getId } from '../../item/parameters';

export const queueIdField: INodeProperties = {
	displayName: 'Queue ID',
	name: 'queueId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. {{ $json.queueId }}',
	description: "The 'queueId' that Queue > Add returned for the video",
};

/** The common part of the operations on a queue item. */
export const ofQueueItem = {
	texts: {
		fields: "'Queue ID'",
		notFound: {
			message: 'The video service has no queue item with this ID',
			description:
				"Check 'Queue ID' of this item. It may belong to another account, or it was deleted, or its video is finished. Look for the video with Video > Get Many.",
		},
	},
	getIds: ({ queueId }) => ({ queueId }),
} satisfies Partial<Operation<{ queueId: string }>>;

/** "Queue ID". @throws a NodeOperationError when it is empty, or cannot be a part of a path */
export function getQueueId(context: IExecuteSingleFunctions): string {
	const queueId = getId(context, context.getNodeParameter('queueId', ''), 'Queue ID');
	if (encodePathSegment(queueId) !== undefined) return queueId;
	throw createInputError(
		context,
		queueId === '' ? "'Queue ID' is empty" : "'Queue ID' is not the ID of a queue item",
		`Enter the 'queueId' that Queue > Add returned. ${CHECK_EXPRESSION} Nothing was sent.`,
	);
}
