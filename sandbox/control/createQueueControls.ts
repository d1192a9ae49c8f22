import type { Durations } from '../domain/Durations';
import { endQueueItem } from '../domain/endQueueItem';
import type { QueueItem } from '../domain/QueueItem';
import { ServiceError } from '../domain/ServiceError';
import { settleQueue } from '../domain/settleQueue';
import type { SandboxContext } from './SandboxContext';

/** What can be done to queue items past the API. Unknown ids throw a ServiceError `notFound`. */
export function createQueueControls(context: SandboxContext) {
	const find = (queueId: string): QueueItem => {
		const item = context.store.queue.get(queueId);
		if (!item) throw new ServiceError('notFound', `There is no queue item ${queueId}`);
		return item;
	};
	return {
		/** Completes an item now. @throws ServiceError `conflict` when it has failed */
		finish(queueId: string): void {
			endQueueItem(context.store, find(queueId), 'completed', context.clock.now());
		},
		/** Fails an item now. @throws ServiceError `conflict` when it is completed */
		fail(queueId: string): void {
			endQueueItem(context.store, find(queueId), 'failed', context.clock.now());
		},
		/**
		 * Takes an item out of the queue, as a service may do by itself: the API answers 404 from
		 * then on, but the generation goes on, and its video gets into the log.
		 */
		removeQueueItem(queueId: string): void {
			find(queueId).left = true;
			settleQueue(context.store, context.clock.now());
		},
		/** Gives one item durations of its own, counted from its creation. */
		changeQueueItem(queueId: string, change: { durations: Partial<Durations> }): void {
			Object.assign(find(queueId).durations, change.durations);
		},
	};
}
