import type { FaultKind } from './FaultKind';

/**
 * The queue item that a request names is out of the queue from then on: the service answers 404,
 * though the generation goes on, and its video gets into the log.
 */
export const leavesQueue: FaultKind<object> = {
	options: {},
	create: () => ({
		before: (context) => {
			if (context.queueId !== undefined) context.removeQueueItem(context.queueId);
			return Promise.resolve(undefined);
		},
	}),
};
