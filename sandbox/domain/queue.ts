import { getEnd, getItemState } from './lifeCycle';
import { type Account, type QueueItem, ServiceError, type VideoContent } from './model';
import type { Store } from './store';

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
	const project = store.projects.get(input.projectId);
	if (project?.accountId !== account.id) {
		throw new ServiceError(400, 'projectId: no project of this account has this id');
	}
	if (input.overwriteSettings === true && (input.customPrompt ?? '').trim() === '') {
		throw new ServiceError(400, 'customPrompt is required when overwriteSettings is true');
	}
	if (account.credits < project.cost) {
		const message = `this video costs ${project.cost}, the account has ${account.credits}`;
		throw new ServiceError(402, `Insufficient credits: ${message}`);
	}
	account.credits -= project.cost;
	const item: QueueItem = {
		queueId: createQueueId(store),
		accountId: account.id,
		projectId: project.id,
		createdAt: now,
		startsAt: Infinity,
		durations: { ...store.settings.durations, ...project.durations },
		outcome: project.fails ? 'failed' : 'completed',
		finishedAt: null,
		videoId: store.createId(),
		logged: false,
		left: false,
		overwriteSettings: input.overwriteSettings ?? false,
		customPrompt: input.customPrompt ?? null,
	};
	store.queue.set(item.queueId, item);
	startItems(store, now);
	store.charges.push({
		queueId: item.queueId,
		accountId: account.id,
		projectId: project.id,
		customPrompt: item.customPrompt,
		overwriteSettings: item.overwriteSettings,
		cost: project.cost,
		at: now,
		videoId: item.videoId,
	});
	return item;
}

/** Returns a UUID, or 48 of its bits as digits, or 60 of them and a bit above as 19 digits. */
function createQueueId({ createId, settings }: Store): string {
	const id = createId();
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
	const item = store.queue.get(queueId);
	if (item?.accountId !== account.id || item.left) {
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
		if (item.left && (status === 'failed' || item.logged)) store.queue.delete(item.queueId);
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
	const project = store.projects.get(made.projectId);
	const charge = store.charges.find((paid) => paid.videoId === videoId);
	return {
		name: project?.name ?? made.projectId,
		picture: project?.picture ?? 'product-teaser',
		prompt: charge?.customPrompt?.trim() ?? '',
	};
}
