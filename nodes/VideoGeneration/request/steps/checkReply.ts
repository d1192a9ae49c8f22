import type {
	IDataObject,
	IExecuteSingleFunctions,
	IN8nHttpFullResponse,
	INodeExecutionData,
} from 'n8n-workflow';
import { ONE_THING } from '../answerLimits';
import { judgeReply } from '../judgeReply';
import { readAnswer } from '../readAnswer';

/**
 * The first step for every reply but a list's: what comes after it sees a good answer's body only.
 */
export async function checkReply(
	this: IExecuteSingleFunctions,
	_items: INodeExecutionData[],
	response: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
	return [{ json: judgeReply(await readAnswer(response, ONE_THING)) as IDataObject }];
}
