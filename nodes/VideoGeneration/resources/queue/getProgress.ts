import type { INodeExecutionData } from 'n8n-workflow';
import { requireField } from '../../api/response';
import type { Operation } from '../../execution/operation';
import { checkObject, getBody } from '../responseSteps';
import { getIdsFromPath, QUEUE_ITEM_NOT_FOUND, setQueueIdInPath } from './queueId';

/** Queue > Get Progress (specification, "GET /v1/queue/progress/{queueId}"). */
export const getProgress: Operation = {
	requestKind: 'read',
	routing: {
		request: { method: 'GET', url: '/v1/queue/progress' },
		send: { paginate: true, preSend: [setQueueIdInPath] },
		output: { postReceive: [checkObject, unwrapDetails] },
	},
	texts: { fields: "'Queue ID'", notFound: QUEUE_ITEM_NOT_FOUND },
	getIds: getIdsFromPath,

	/** The response lacks the queue ID. */
	async perform({ request }, send) {
		const items = await send();
		return items.map(({ json }) => ({ json: { ...getIdsFromPath(request), ...json } }));
	},
};

async function unwrapDetails(items: INodeExecutionData[]): Promise<INodeExecutionData[]> {
	return await Promise.resolve([{ json: requireField(getBody(items), 'details', 'object') }]);
}
