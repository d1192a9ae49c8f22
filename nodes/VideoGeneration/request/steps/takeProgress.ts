import type { IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';
import { getPreparedItem } from '../prepareRequest';
import { getBody, requireField } from './requireField';

/** The details of "GET /v1/queue/progress/{queueId}", together with the ID that they belong to. */
export async function takeProgress(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	const details = requireField(getBody(items), 'details', 'object');
	const { queueId } = getPreparedItem(this).details;
	return await Promise.resolve([{ json: { queueId, ...details } }]);
}
