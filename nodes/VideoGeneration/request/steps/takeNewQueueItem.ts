import type { IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';
import { getBody, requireField } from './requireField';

/** The new queue item of "POST /v1/queue/add". Without its `queueId` there is nothing to follow it by. */
export async function takeNewQueueItem(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	const queueItem = requireField(getBody(items), 'newQueueItem', 'object');
	requireField(queueItem, 'queueId', 'text');
	return await Promise.resolve([{ json: queueItem }]);
}
