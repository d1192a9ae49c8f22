import type { Account } from './Account';
import { settleQueue } from './settleQueue';
import type { Store } from './Store';
import type { VideoLog } from './VideoLog';

/** The account's video logs in the order in which they were written; the API promises none. */
export function listVideos(store: Store, account: Account, now: number): readonly VideoLog[] {
	settleQueue(store, now);
	return store.videos.get(account.id) ?? [];
}
