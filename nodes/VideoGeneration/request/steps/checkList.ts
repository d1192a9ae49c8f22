import type {
	IDataObject,
	IExecuteSingleFunctions,
	IN8nHttpFullResponse,
	INodeExecutionData,
} from 'n8n-workflow';
import { WHOLE_LIST } from '../answerLimits';
import { judgeReply } from '../judgeReply';
import { readAnswer } from '../readAnswer';

/** As `checkReply`, of a reply that is a whole list: the API has no paging. */
export async function checkList(
	this: IExecuteSingleFunctions,
	_items: INodeExecutionData[],
	response: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
	return [{ json: judgeReply(await readAnswer(response, WHOLE_LIST)) as IDataObject }];
}
