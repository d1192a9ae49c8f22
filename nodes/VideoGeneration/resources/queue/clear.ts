import { clearQueueItem, ENDPOINTS } from '../../api/endpoints';
import type { Operation } from '../../item/job';
import { ofQueueItem } from '../fields';

/** Queue > Clear (specification, "POST /v1/queue/clear"). It cannot be undone, but may be sent again. */
export const clear: Operation<{ queueId: string }> = {
	...ofQueueItem,
	name: 'Delete',
	action: 'Delete queue item permanently',
	description: 'Permanently delete a queue item, which cannot be undone',
	request: ENDPOINTS.clearQueueItem,

	async perform({ api, open, order: { queueId } }) {
		await clearQueueItem(await open(), queueId, api);
		// The output that n8n's nodes have for a deletion.
		return [{ json: { queueId, deleted: true } }];
	},
};
