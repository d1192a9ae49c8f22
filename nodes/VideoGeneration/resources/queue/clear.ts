import type {
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
} from 'n8n-workflow';
import { createIncomplete, toText } from '../../api/response';
import { sendDeclaredRequest } from '../../execution/declaredRequest';
import type { Operation } from '../../execution/job';
import { classifyError } from '../../failures/classifyError';
import { mayBeCarriedOut } from '../../failures/fate';
import { isNotFound } from '../../failures/failure';
import { checkObject, getBody } from '../responseSteps';
import { getQueueId, QUEUE_ITEM_NOT_FOUND } from './queueId';

/** Queue > Clear (specification, "POST /v1/queue/clear"). It cannot be undone, but may be sent again. */
export const clear: Operation = {
	requestKind: 'clear',
	routing: {
		request: { method: 'POST', url: '/v1/queue/clear' },
		send: { paginate: true, preSend: [setQueueIdInBody] },
		output: { postReceive: [checkObject, getClearedItem] },
	},
	texts: { fields: "'Queue ID'", notFound: QUEUE_ITEM_NOT_FOUND },
	getIds: ({ body }) => body as { queueId?: string },

	/** After a clear that may have been carried out, in this try or an earlier one, "not found" means that the item is cleared. */
	async perform(job) {
		const { memory, request } = job;
		const { queueId } = request.body as { queueId: string };
		const cleared = [{ json: { queueId, deleted: true } }];
		// A workflow that was changed before the retry may clear another item.
		const earlier = memory.state.queueId === queueId ? memory.state : {};
		if (earlier.isCleared) return cleared;
		const mayBeCleared = earlier.fate === 'unknown';
		memory.keep({ queueId, fate: 'unknown' });
		try {
			await sendDeclaredRequest(job);
			memory.keep({ fate: undefined, isCleared: true });
			return cleared;
		} catch (error) {
			const failure = classifyError(error);
			const mayBeDone = mayBeCleared || failure.facts.mayBeDone === true;
			if (isNotFound(failure) && mayBeDone) {
				memory.keep({ fate: undefined, isCleared: true });
				return cleared;
			}
			memory.keep({ fate: mayBeDone || mayBeCarriedOut(failure) ? 'unknown' : undefined });
			throw failure;
		}
	},
};

async function setQueueIdInBody(
	this: IExecuteSingleFunctions,
	request: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	request.body = { queueId: getQueueId(this) };
	return await Promise.resolve(request);
}

/** The output that n8n's nodes have for a deletion. */
async function getClearedItem(items: INodeExecutionData[]): Promise<INodeExecutionData[]> {
	const queueId = toText(getBody(items).queueId);
	if (queueId === '') throw createIncomplete('queueId');
	return await Promise.resolve([{ json: { queueId, deleted: true } }]);
}
