import type { IDataObject, IExecuteSingleFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { createIncomplete, toText } from '../../api/response';
import type { Operation } from '../../execution/job';
import { listStates } from '../../execution/memory';
import { sendDeclaredRequest } from '../../execution/runItems';
import { classifyError } from '../../failures/errors';
import { mayBeCarriedOut } from '../../failures/fate';
import { isNotFound } from '../../failures/failure';
import { checkObject, createPostReceive, createPreSend } from '../steps';
import { getQueueId, QUEUE_ITEM_NOT_FOUND } from './queueId';

/** Queue > Clear (specification, "POST /v1/queue/clear"). It cannot be undone, but may be sent again. */
export const clear: Operation = {
	requestKind: 'clear',
	routing: {
		request: { method: 'POST', url: '/v1/queue/clear' },
		send: { paginate: true, preSend: [createPreSend(setQueueIdInBody)] },
		output: { postReceive: [checkObject, createPostReceive(checkQueueId)] },
	},
	texts: { fields: "'Queue ID'", notFound: QUEUE_ITEM_NOT_FOUND },
	getIds: ({ body }) => body as { queueId?: string },

	/** After a clear that may have been carried out, in this try or an earlier one, "not found" means that the item is cleared. */
	async perform(job) {
		const { memory, request } = job;
		const { queueId } = request.body as { queueId: string };
		// The output that n8n's nodes have for a deletion.
		const cleared = [{ json: { queueId, deleted: true } }];
		// A workflow that was changed before the retry may clear another item.
		const earlier = memory.state.queueId === queueId ? memory.state : {};
		if (earlier.isCleared) return cleared;
		const mayBeCleared = earlier.fate === 'unknown';
		memory.keep({ queueId, fate: 'unknown', isCleared: undefined });
		try {
			await sendDeclaredRequest(job);
			memory.keep({ fate: undefined, isCleared: true });
			return cleared;
		} catch (error) {
			const failure = classifyError(error);
			// Rows may name the same item.
			const isClearedByOther = listStates(job.context).some(
				([, other]) => other.queueId === queueId && other.isCleared,
			);
			const mayBeDone = mayBeCleared || isClearedByOther || failure.facts.mayBeDone === true;
			if (isNotFound(failure) && mayBeDone) {
				memory.keep({ fate: undefined, isCleared: true });
				return cleared;
			}
			memory.keep({ fate: mayBeDone || mayBeCarriedOut(failure) ? 'unknown' : undefined });
			throw failure;
		}
	},
};

function setQueueIdInBody(context: IExecuteSingleFunctions, request: IHttpRequestOptions): void {
	request.body = { queueId: getQueueId(context) };
}

/** The response names the item that was cleared. `perform` makes the output, also without a response. */
function checkQueueId(body: IDataObject): IDataObject[] {
	if (toText(body.queueId) === '') throw createIncomplete('queueId');
	return [];
}
