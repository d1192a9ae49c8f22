import type { INodeExecutionData } from 'n8n-workflow';
import { requireObject } from '../../api/response';
import { sendDeclaredRequest } from '../../execution/declaredRequest';
import type { Operation } from '../../execution/job';
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
	async perform(job) {
		const items = await sendDeclaredRequest(job);
		return items.map(({ json }) => ({ json: { ...getIdsFromPath(job.request), ...json } }));
	},
};

async function unwrapDetails(items: INodeExecutionData[]): Promise<INodeExecutionData[]> {
	return await Promise.resolve([{ json: requireObject(getBody(items), 'details') }]);
}
