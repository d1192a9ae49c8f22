import { getEnd, getItemState } from './lifeCycle';
import {
	type Account,
	type Project,
	type QueueItem,
	ServiceError,
	type VideoContent,
} from './model';
import { type Store, toKey } from './store';

export interface NewQueueItem {
	projectId: string;
	overwriteSettings?: boolean;
	customPrompt?: string | null;
}

/**
 * Queues a generation and charges the account (POST /v1/queue/add).
 *
 * @throws ServiceError for a project of another account, a missing prompt or too few credits. Nothing is
 *   charged then.
 */
export function addQueueItem(
	store: Store,
	account: Account,
	input: NewQueueItem,
	now: number,
): QueueItem {
	const project = store.projects.get(toKey(account.id, input.projectId));
	if (!project) {
		throw new ServiceError(400, 'projectId: no project of this account has this id');
	}
	if (input.overwriteSettings === true && (input.customPrompt ?? '').trim() === '') {
		throw new ServiceError(400, 'customPrompt is required when overwriteSettings is true');
	}
	settleQueue(store, now);
	const made = findEqual(store, account, input, now);
	const cost = made && !store.settings.chargeMergedOrders ? 0 : project.cost;
	if (account.credits < cost) {
		const message = `this video costs ${cost}, the account has ${account.credits}`;
		throw new ServiceError(402, `Insufficient credits: ${message}`);
	}
	account.credits -= cost;
	const item = made ?? createItem(store, project, input, now);
	store.charges.push({
		queueId: item.queueId,
		accountId: account.id,
		projectId: project.id,
		customPrompt: input.customPrompt ?? null,
		overwriteSettings: input.overwriteSettings ?? false,
		cost,
		at: now,
		videoId: item.videoId,
	});
	return item;
}

/** Finds the item that is still being made, with which a service that merges orders answers. */
function findEqual(
	{ queue, settings }: Store,
	{ id }: Account,
	{ projectId, customPrompt = null, overwriteSettings = false }: NewQueueItem,
	now: number,
): QueueItem | undefined {
	if (settings.mergeOrders === false) return undefined;
	const isEqual = (item: QueueItem) =>
		settings.mergeOrders === 'project' ||
		(item.customPrompt === customPrompt && item.overwriteSettings === overwriteSettings);
	return [...queue.values()]
		.filter((item) => item.accountId === id && item.projectId === projectId && isEqual(item))
		.find((item) => !item.left && getItemState(item, now).endedAt === null);
}

function createItem(
	store: Store,
	project: Project,
	{ customPrompt = null, overwriteSettings = false }: NewQueueItem,
	now: number,
): QueueItem {
	const { accountId } = project;
	const { numberByAccount } = store.settings;
	const item: QueueItem = {
		queueId: takeFreeId(store, accountId, now) ?? createQueueId(store, accountId),
		accountId,
		projectId: project.id,
		createdAt: now,
		startsAt: Infinity,
		durations: { ...store.settings.durations, ...project.durations },
		outcome: project.fails ? 'failed' : 'completed',
		finishedAt: null,
		videoId: store.createId(numberByAccount ? accountId : undefined),
		logged: false,
		isIdFree: false,
		left: false,
		overwriteSettings,
		customPrompt,
	};
	store.queue.set(toKey(accountId, item.queueId), item);
	startItems(store, now);
	return item;
}

/** Takes the queue id that has been free for the longest time. Its item is not found any more. */
function takeFreeId(store: Store, accountId: string, now: number): string | undefined {
	const { freeQueueIds, settings } = store;
	const freeBy = now - (settings.reuseQueueIds ?? Infinity);
	const index = freeQueueIds.findIndex(
		(each) => each.accountId === accountId && each.since <= freeBy,
	);
	const [free] = index < 0 ? [] : freeQueueIds.splice(index, 1);
	if (free) store.queue.delete(toKey(accountId, free.queueId));
	return free?.queueId;
}

/** Notes that an item needs its queue id no more. */
function freeId({ freeQueueIds }: Store, item: QueueItem, since: number): void {
	if (!item.isIdFree)
		freeQueueIds.push({ accountId: item.accountId, queueId: item.queueId, since });
	item.isIdFree = true;
}

/** Removes an item permanently (POST /v1/queue/clear). It may be in any state. A finished video stays in the log. */
export function clearQueueItem(store: Store, item: QueueItem, now: number): void {
	store.queue.delete(toKey(item.accountId, item.queueId));
	freeId(store, item, now);
}

/** Returns a UUID, or 48 of its bits as digits, or 60 of them and a bit above as 19 digits. */
function createQueueId({ createId, settings }: Store, accountId: string): string {
	const id = createId(settings.numberByAccount ? accountId : undefined);
	const bits = id.replaceAll('-', '');
	switch (settings.numericQueueIds) {
		case 'long':
			return String(2n ** 60n + BigInt(`0x${bits.slice(0, 15)}`));
		case true:
			return String(parseInt(bits.slice(0, 12), 16));
		case false:
			return id;
	}
}

/**
 * Returns the account's item with this id. Items of other accounts are not found either ("What the
 * service does", 2).
 *
 * @throws ServiceError 404
 */
export function getQueueItem(
	store: Store,
	account: Account,
	queueId: string,
	now: number,
): QueueItem {
	settleQueue(store, now);
	const item = store.queue.get(toKey(account.id, queueId));
	if (!item || item.left) {
		throw new ServiceError(404, 'Queue item not found');
	}
	return item;
}

/**
 * Brings the store up to `now`: completed items get their log entry, oldest first, and ended items
 * leave the queue if the settings say so. Runs before every request and change, instead of timers.
 */
export function settleQueue(store: Store, now: number): void {
	startItems(store, now);
	const items = [...store.queue.values()];
	const due = items
		.filter(({ finishedAt, outcome }) => finishedAt !== null || outcome === 'completed')
		.map((item) => ({ item, loggedAt: getEnd(item) + item.durations.logDelayMs }))
		.filter(({ item, loggedAt }) => !item.logged && now >= loggedAt)
		.sort((a, b) => a.loggedAt - b.loggedAt);
	for (const { item, loggedAt } of due) logVideo(store, item, loggedAt);

	const { endedItemsLeaveAfterMs, finishedItemsStay } = store.settings;
	for (const item of items) {
		const { status, endedAt } = getItemState(item, now);
		if (endedAt === null) continue;
		const leaves = endedItemsLeaveAfterMs !== null && (status === 'failed' || !finishedItemsStay);
		if (leaves && now >= endedAt + endedItemsLeaveAfterMs) item.left = true;
		// An item that has left is kept until its log entry is written.
		const isDone = status === 'failed' || item.logged;
		const { logDelayMs } = item.durations;
		if (isDone) freeId(store, item, endedAt + (item.logged ? Math.max(0, logDelayMs) : 0));
		if (item.left && isDone) store.queue.delete(toKey(item.accountId, item.queueId));
	}
}

/**
 * Sets when items start: each one when a worker is free, in their order. What has started stays as it
 * is, and what becomes free now changes nothing of the past.
 */
function startItems(store: Store, now: number): void {
	const { maxAtOnce } = store.settings;
	const ends = new Map<string, number[]>();
	for (const item of store.queue.values()) {
		const before = ends.get(item.accountId) ?? [];
		if (item.startsAt > store.settledAt) {
			const isFree = maxAtOnce === null || before.length < maxAtOnce;
			const freeAt = isFree ? -Infinity : before.sort((a, b) => b - a)[maxAtOnce - 1];
			item.startsAt = Math.max(item.createdAt, store.settledAt, freeAt ?? -Infinity);
		}
		ends.set(item.accountId, [...before, getEnd(item)]);
	}
	store.settledAt = now;
}

function logVideo(store: Store, item: QueueItem, loggedAt: number): void {
	item.logged = true;
	const log = {
		id: item.videoId,
		queueId: item.queueId,
		url: null,
		projectId: item.projectId,
		createdAt: formatLogTime(store, loggedAt),
	};
	store.videos.get(item.accountId)?.push(log);
}

/** Formats a time as the video log does. */
export function formatLogTime({ settings }: Store, ms: number): string {
	const text = new Date(ms + settings.logAheadMs).toISOString();
	return settings.logWholeSeconds ? text.replace(/\.\d{3}Z$/, 'Z') : text;
}

/** Finds what a finished video of any account shows, even before its log entry is written. */
export function findVideoContent(
	store: Store,
	videoId: string,
	now: number,
): VideoContent | undefined {
	settleQueue(store, now);
	const made =
		[...store.videos.values()].flatMap((logs) => logs.find(({ id }) => id === videoId) ?? [])[0] ??
		[...store.queue.values()].find(
			(item) => item.videoId === videoId && getItemState(item, now).status === 'completed',
		);
	if (!made) return undefined;
	const project = [...store.projects.values()].find(({ id }) => id === made.projectId);
	const charge = store.charges.find((paid) => paid.videoId === videoId);
	return {
		name: project?.name ?? made.projectId,
		picture: project?.picture ?? 'product-teaser',
		prompt: charge?.customPrompt?.trim() ?? '',
	};
}
