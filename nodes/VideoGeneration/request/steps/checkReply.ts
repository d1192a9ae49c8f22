import type {
	IDataObject,
	IExecuteSingleFunctions,
	IN8nHttpFullResponse,
	INodeExecutionData,
} from 'n8n-workflow';
import { judgeReply } from '../judgeReply';

/** The first step for every reply: what comes after it sees a good answer's body only. */
export async function checkReply(
	this: IExecuteSingleFunctions,
	_items: INodeExecutionData[],
	response: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
	return await Promise.resolve([{ json: judgeReply(response) as IDataObject }]);
}
