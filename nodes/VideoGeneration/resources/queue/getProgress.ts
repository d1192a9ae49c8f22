import type { IDataObject } from 'n8n-workflow';
import { ENDPOINTS, fetchProgress } from '../../api/endpoints';
import type { Operation } from '../../item/job';
import { ofQueueItem } from '../fields';

/** Queue > Get Progress (specification, "GET /v1/queue/progress/{queueId}"). */
export const getProgress: Operation<{ queueId: string }> = {
	...ofQueueItem,
	name: 'Get Progress',
	action: 'Get progress of queued video',
	description: 'Show the status and the progress of a queued video',
	request: ENDPOINTS.getProgress,

	/** The response lacks the queue ID. Where a service repeats it as a long number, JavaScript has rounded it. */
	async perform({ api, open, order: { queueId } }) {
		const details = await fetchProgress(await open(), queueId, api);
		const json: IDataObject = { queueId, status: details.status };
		return [{ json: { ...json, ...details, queueId } }];
	},
};
