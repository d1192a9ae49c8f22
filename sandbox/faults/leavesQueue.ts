import type { FaultKind } from './Fault';

/**
 * Takes the queue item that a request names out of the queue: the service answers 404 from then on.
 * The generation continues, and its video gets into the log.
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
