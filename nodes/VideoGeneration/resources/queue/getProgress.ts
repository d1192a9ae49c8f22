import { requireObject } from '../../api/response';
import type { Operation } from '../../execution/job';
import { sendDeclaredRequest } from '../../execution/runItems';
import { checkObject, createPostReceive, createPreSend } from '../steps';
import { getIdsFromPath, QUEUE_ITEM_NOT_FOUND, setQueueIdInPath } from './queueId';

/** Queue > Get Progress (specification, "GET /v1/queue/progress/{queueId}"). */
export const getProgress: Operation = {
	requestKind: 'read',
	routing: {
		request: { method: 'GET', url: '/v1/queue/progress' },
		send: { paginate: true, preSend: [createPreSend(setQueueIdInPath)] },
		output: {
			postReceive: [checkObject, createPostReceive((body) => [requireObject(body, 'details')])],
		},
	},
	texts: { fields: "'Queue ID'", notFound: QUEUE_ITEM_NOT_FOUND },
	getIds: getIdsFromPath,

	/** The response lacks the queue ID. Where a service repeats it as a long number, JavaScript has rounded it. */
	async perform(job) {
		const ids = getIdsFromPath(job.request);
		const items = await sendDeclaredRequest(job);
		return items.map(({ json }) => ({ json: { ...ids, ...json, ...ids } }));
	},
};
