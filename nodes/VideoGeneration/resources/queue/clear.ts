import type {
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
} from 'n8n-workflow';
import { createIncomplete, toText } from '../../api/response';
import type { Operation } from '../../execution/operation';
import { classifyError } from '../../failures/classifyError';
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
	texts: { fields: '"Queue ID"', notFound: QUEUE_ITEM_NOT_FOUND },
	getIds: ({ body }) => body as { queueId?: string },

	/** After a try that may have been carried out, "not found" means that the item is cleared. */
	async perform({ request }, send) {
		try {
			return await send();
		} catch (error) {
			const failure = classifyError(error);
			const { httpCode, mayBeDone } = failure.facts;
			if (httpCode !== '404' || mayBeDone !== true) throw failure;
			return [{ json: { ...(request.body as { queueId: string }), deleted: true } }];
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
