import { getEnd, getItemState } from './lifeCycle';
import { type Account, type Project, type QueueItem, ServiceError } from './model';
import type { Store } from './store';

export interface NewQueueItem {
	projectId: string;
	overwriteSettings?: boolean;
	customPrompt?: string | null;
}

/**
 * Queues a generation and charges the account (POST /v1/queue/add).
 *
 * @throws ServiceError `invalidInput` for a project of another account or a missing prompt,
 *   `insufficientCredits`. Nothing is charged then.
 */
export function addQueueItem(
	store: Store,
	account: Account,
	input: NewQueueItem,
	now: number,
): QueueItem {
	const project = store.projects.get(input.projectId);
	if (project?.accountId !== account.id) {
		throw new ServiceError('invalidInput', 'projectId: no project of this account has this id');
	}
	if (input.overwriteSettings === true && (input.customPrompt ?? '').trim() === '') {
		throw new ServiceError(
			'invalidInput',
			'customPrompt is required when overwriteSettings is true',
		);
	}
	spendCredits(account, project);
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
	const { queueId, accountId, projectId, customPrompt, overwriteSettings, videoId } = item;
	store.charges.push({
		...{ queueId, accountId, projectId, customPrompt, overwriteSettings },
		...{ cost: project.cost, at: now, videoId },
	});
	return item;
}

function spendCredits(account: Account, project: Project): void {
	if (account.credits < project.cost) {
		throw new ServiceError(
			'insufficientCredits',
			`Insufficient credits: this video costs ${project.cost}, the account has ${account.credits}`,
		);
	}
	account.credits -= project.cost;
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
 * @throws ServiceError `notFound`
 */
export function getQueueItem(
	store: Store,
	account: Pick<Account, 'id'>,
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

/**
 * Permanently removes an item in any state (POST /v1/queue/clear). A finished video stays in the
 * log.
 *
 * @throws ServiceError `notFound`
 */
export function clearQueueItem(
	store: Store,
	account: Pick<Account, 'id'>,
	queueId: string,
	now: number,
): void {
	store.queue.delete(getQueueItem(store, account, queueId, now).queueId);
}

/**
 * Completes an item now, regardless of its durations. A completed item is unchanged.
 *
 * @throws ServiceError `conflict` if the item has failed
 */
export function finishQueueItem(store: Store, item: QueueItem, now: number): void {
	const { status, endedAt } = getItemState(item, now);
	if (status === 'failed') {
		throw new ServiceError('conflict', `Queue item ${item.queueId} has failed already`);
	}
	if (endedAt === null) item.finishedAt = now;
	settleQueue(store, now);
}

/**
 * Brings the store up to `now`: completed items get their log entry, oldest first, and ended items
 * leave the queue if the settings say so. Runs before every request and change, instead of timers.
 */
export function settleQueue(store: Store, now: number): void {
	startItems(store, now);
	const items = [...store.queue.values()];
	const due = items
		.filter(
			({ finishedAt, outcome, logged }) =>
				(finishedAt !== null || outcome === 'completed') && !logged,
		)
		.map((item) => ({ item, loggedAt: getEnd(item) + item.durations.logDelayMs }))
		.filter(({ loggedAt }) => now >= loggedAt);
	due.sort((a, b) => a.loggedAt - b.loggedAt);
	for (const { item, loggedAt } of due) logVideo(store, item, loggedAt);

	const ended = items.flatMap((item) => {
		const { status, endedAt } = getItemState(item, now);
		return endedAt === null ? [] : [{ item, status, endedAt }];
	});

	const { endedItemsLeaveAfterMs, finishedItemsStay } = store.settings;
	for (const { item, status, endedAt } of ended) {
		const leaves = endedItemsLeaveAfterMs !== null && (status === 'failed' || !finishedItemsStay);
		if (leaves && now >= endedAt + endedItemsLeaveAfterMs) {
			item.left = true;
		}
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
	const logs = store.videos.get(item.accountId);
	if (logs) logs.push(log);
	else store.videos.set(item.accountId, [log]);
}

/** Formats a time as the video log's own clock would. */
export function formatLogTime({ settings }: Store, ms: number): string {
	const text = new Date(ms + settings.logClockSkewMs).toISOString();
	return settings.logWholeSeconds ? text.replace(/\.\d{3}Z$/, 'Z') : text;
}
