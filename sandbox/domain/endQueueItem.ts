import type { QueueItem } from './QueueItem';
import { readLife } from './readLife';
import { ServiceError } from './ServiceError';
import { settleQueue } from './settleQueue';
import type { Store } from './Store';

/**
 * Ends an item now, whatever its durations say. Nothing changes when it has ended this way before.
 *
 * @throws ServiceError `conflict` when it has ended the other way
 */
export function endQueueItem(
	store: Store,
	item: QueueItem,
	outcome: 'completed' | 'failed',
	now: number,
): void {
	const { status, endedAt } = readLife(item, now);
	if (endedAt !== null && status !== outcome) {
		throw new ServiceError('conflict', `Queue item ${item.queueId} is ${status} already`);
	}
	if (endedAt === null) item.forced = { outcome, at: now };
	settleQueue(store, now);
}
