import type { FaultKind } from './Fault';

/**
 * Removes the queue item of the request from the queue: the service responds with 404 from then on.
 * The generation continues, and its video appears in the log.
 */
export const leavesQueue: FaultKind<object> = {
	options: {},
	create: () => ({
		before: ({ queueId, removeQueueItem }) => {
			if (queueId !== undefined) removeQueueItem(queueId);
			return undefined;
		},
	}),
};
