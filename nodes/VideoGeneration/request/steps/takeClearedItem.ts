import type { IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';
import { getBody, requireField } from './requireField';

/** What n8n's nodes return for a deletion, of "POST /v1/queue/clear". */
export async function takeClearedItem(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	const queueId = requireField(getBody(items), 'queueId', 'text');
	return await Promise.resolve([{ json: { queueId, deleted: true } }]);
}
