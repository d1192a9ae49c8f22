import type { Account } from './Account';
import { findQueueItem } from './findQueueItem';
import type { Store } from './Store';

/**
 * Removes an item for good, at whatever point of its life; a video it has made stays in the log
 * (POST /v1/queue/clear).
 *
 * @throws ServiceError `notFound`, for another account's item as well
 */
export function clearQueueItem(store: Store, account: Account, queueId: string, now: number): void {
	store.queue.delete(findQueueItem(store, account, queueId, now).queueId);
}
