import { clearQueueItem, ENDPOINTS } from '../../api/endpoints';
import { classifyError } from '../../failures/errors';
import { isDeleted } from '../../failures/failure';
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
		try {
			await clearQueueItem(await open(), queueId, api);
		} catch (error) {
			const failure = classifyError(error);
			if (!isDeleted(failure)) throw failure;
		}
		// The output that n8n's nodes have for a deletion.
		return [{ json: { queueId, deleted: true } }];
	},
};
