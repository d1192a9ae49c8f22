import type { Account } from './Account';
import type { QueueItem } from './QueueItem';
import { ServiceError } from './ServiceError';
import { settleQueue } from './settleQueue';
import type { Store } from './Store';

/**
 * The account's own item of that id; another account's item is as unknown as one that never was
 * ("What the service does", 2).
 *
 * @throws ServiceError `notFound`
 */
export function findQueueItem(
	store: Store,
	account: Account,
	queueId: string,
	now: number,
): QueueItem {
	settleQueue(store, now);
	const item = store.queue.get(queueId);
	if (item?.accountId !== account.id || item.left) {
		throw new ServiceError('notFound', 'Queue item not found');
	}
	return item;
}
