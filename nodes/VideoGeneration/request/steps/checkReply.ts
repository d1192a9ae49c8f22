import type { IDataObject, IN8nHttpFullResponse, INodeExecutionData } from 'n8n-workflow';
import type { AnswerLimits } from '../answerLimits';
import { ONE_THING, WHOLE_LIST } from '../answerLimits';
import { judgeReply } from '../judgeReply';
import { readAnswer } from '../readAnswer';

/** The first step for a reply: what comes after it sees a good answer's body only. */
export const checkReply = createCheck(ONE_THING);

/** As `checkReply`, of a reply that is a whole list: the API has no paging. */
export const checkList = createCheck(WHOLE_LIST);

function createCheck(limits: AnswerLimits) {
	return async (
		_items: INodeExecutionData[],
		response: IN8nHttpFullResponse,
	): Promise<INodeExecutionData[]> => [
		{ json: judgeReply(await readAnswer(response, limits)) as IDataObject },
	];
}
