import type { FaultKind } from './FaultKind';

/** The queue item that a request names is gone from then on: the service answers 404. */
export const leavesQueue: FaultKind<object> = {
	options: {},
	create: () => ({
		before: (context) => {
			if (context.queueId !== undefined) context.removeQueueItem(context.queueId);
			return Promise.resolve(undefined);
		},
	}),
};
