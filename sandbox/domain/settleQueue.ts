import type { QueueItem } from './QueueItem';
import { readLife } from './readLife';
import type { Store } from './Store';

/**
 * Brings the store up to `now`: completed items get their entry in the video log, oldest first,
 * and ended items leave the queue where the store is set to that. Every read and every change of
 * the service calls it first; it takes the place of timers.
 */
export function settleQueue(store: Store, now: number): void {
	const due: { item: QueueItem; loggedAt: number }[] = [];
	for (const item of store.queue.values()) {
		const { status, endedAt } = readLife(item, now);
		if (endedAt === null) continue;
		const loggedAt = endedAt + item.durations.logDelayMs;
		if (status === 'completed' && !item.logged && now >= loggedAt) due.push({ item, loggedAt });
	}
	due.sort((a, b) => a.loggedAt - b.loggedAt);
	for (const { item, loggedAt } of due) logVideo(store, item, loggedAt);
	for (const item of store.queue.values()) releaseItem(store, item, now);
}

function logVideo(store: Store, item: QueueItem, loggedAt: number): void {
	item.logged = true;
	const log = {
		id: item.videoId,
		url: null,
		projectId: item.projectId,
		createdAt: formatLogTime(store, loggedAt),
	};
	const logs = store.videos.get(item.accountId);
	if (logs) logs.push(log);
	else store.videos.set(item.accountId, [log]);
}

/** A time as new entries of the video log write it. */
export function formatLogTime({ settings }: Store, ms: number): string {
	const text = new Date(ms + settings.logClockSkewMs).toISOString();
	return settings.logWholeSeconds ? text.replace(/\.\d{3}Z$/, 'Z') : text;
}

function releaseItem(store: Store, item: QueueItem, now: number): void {
	const { status, endedAt } = readLife(item, now);
	if (endedAt === null) return;
	const { endedItemsLeaveAfterMs } = store.settings;
	if (endedItemsLeaveAfterMs !== null && now >= endedAt + endedItemsLeaveAfterMs) item.left = true;
	// An item whose log entry is still to come is kept for it, out of sight.
	if (item.left && (status === 'failed' || item.logged)) store.queue.delete(item.queueId);
}
