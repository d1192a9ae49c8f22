import type { IDataObject } from 'n8n-workflow';
import type { Unidentified } from '../failures/failure';

/** A shorter queue ID, such as 17, may stand in an entry by chance. */
const MIN_NAME_LENGTH = 16;

/** A queue item, as far as this process knows it. Times are by `performance.now()`, unless they are dates of the service. */
export interface QueueItem {
	/** The account whose list shows its video. */
	account: number;
	queueId: string;
	/** What the process knows it by, if the service has used its queue ID again. */
	key?: string | undefined;
	/** Undefined when it is not known: the video can be of any project. */
	projectId?: string | undefined;
	/** When this process has sent its add; undefined if it was queued elsewhere. */
	sentAt?: number | undefined;
	/** Its date, in milliseconds since 1970, where that is known. */
	queuedAt?: number | undefined;
	/** When the last progress check was sent that found it running; undefined if none has. */
	runningAt?: number | undefined;
	/** How long before or after its end the list may show its video. */
	listingDelayMs: number;
	/** Whether it left the queue: it is finished, or was cleared. */
	hasLeft?: boolean;
	/** The address of its video, if its progress tells it. */
	videoUrl?: string | undefined;
	/** From this time on, a list that is requested settles the item. */
	dueAt?: number | undefined;
	/** Its own entry of the list, or why there is none, once that is settled. */
	own?: OwnVideo | undefined;
	/** The entries that its own one is among, if it left the queue and no list told which one it is. */
	among?: ReadonlySet<string> | undefined;
	/** Whether that entry has named its queue ID. */
	isNamed?: boolean;
	/** How many wait for it now. */
	waits: number;
	/** Until when its video may still appear, since its wait has ended without it. */
	owedUntil?: number | undefined;
}

export type OwnVideo = { video: IDataObject } | { unidentified: Unidentified };

/** An entry of the list. */
export interface ListedVideo {
	entry: IDataObject;
	key: string;
	/** Empty when the entry names none: the video can be any item's. */
	projectId: string;
	/** In milliseconds since 1970; undefined without a readable date. */
	createdAt: number | undefined;
	/** When a list first showed it to this process. */
	shownAt: number;
}

/** An entry that a list first showed before this time cannot be the item's own. */
export function getEarliest({ sentAt, runningAt, listingDelayMs }: QueueItem): number {
	return Math.max(sentAt ?? -Infinity, (runningAt ?? -Infinity) - listingDelayMs);
}

/** Whether an entry that names no item can be an item's own. */
function canBeOwn(item: QueueItem, video: ListedVideo): boolean {
	const { projectId, queuedAt = -Infinity, sentAt = -Infinity, listingDelayMs } = item;
	const { createdAt = Infinity, shownAt } = video;
	const isOfProject =
		projectId === undefined || video.projectId === '' || video.projectId === projectId;
	const isOlder = createdAt < queuedAt - listingDelayMs;
	if (item.among?.has(video.key) === false) return false;
	return isOfProject && !isOlder && shownAt > sentAt && shownAt >= getEarliest(item);
}

/** Whether a list without news since an item's end may be a cached one: its entry is older than that end. */
function isCached(item: QueueItem, { createdAt = -Infinity }: ListedVideo, changedAt: number) {
	const { dueAt = 0, listingDelayMs, queuedAt = NaN, runningAt = NaN, sentAt = NaN } = item;
	return changedAt < dueAt - listingDelayMs && createdAt < queuedAt + (runningAt - sentAt);
}

/** Whether an item can be given an entry that does not name it: otherwise, its own may have left the list. */
function canBeMatched({ sentAt, queuedAt, runningAt, videoUrl }: QueueItem): boolean {
	return videoUrl === undefined && (sentAt ?? queuedAt ?? runningAt) !== undefined;
}

/** Finds the items that entries name: by the address that the item's progress tells, or by its queue ID. */
export class ItemNames {
	private readonly items = new Map<unknown, QueueItem>();

	/** Matches the few addresses of a long list that may name an item. */
	private readonly inAddress: RegExp;

	constructor(items: Iterable<QueueItem>) {
		for (const item of items) {
			if (item.videoUrl !== undefined) this.items.set(item.videoUrl, item);
			if (item.queueId.length >= MIN_NAME_LENGTH) this.items.set(item.queueId, item);
		}
		const names = [...this.items.keys()].map((name) =>
			String(name).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
		);
		this.inAddress = new RegExp(`/(${names.join('|')})(?=[./?#]|$)`);
	}

	/** The item whose name is a field of the entry, or a segment of the path of its address. */
	find(entry: IDataObject): QueueItem | undefined {
		if (this.items.size === 0) return undefined;
		for (const field in entry) {
			const item = this.items.get(entry[field]);
			if (item) return item;
		}
		const { url } = entry;
		const [path = ''] =
			typeof url === 'string' && this.inAddress.test(url) ? url.split(/[?#]/) : [];
		return this.items.get(this.inAddress.exec(path)?.[1]);
	}
}

export interface Decision {
	/** The entries of the items whose own one is known. */
	own: Map<QueueItem, ListedVideo>;
	/** The entries that can be an item's own. */
	candidates: Map<QueueItem, ListedVideo[]>;
	/** The items whose entries had to be listed, and were not. */
	missing: QueueItem[];
}

/**
 * Decides whose video is whose among entries that name no item. The list shows a due item's own entry, so a
 * single candidate is its own. It is then no other item's, which may leave another item a single one. An item that
 * left the queue may have failed instead, and a cached list may not show it yet, so it is given only what no other
 * item can own.
 *
 * @param due the items that one list settles
 * @param free the entries of the list that are no item's yet
 * @param others the items whose entries are not known either: they are waited for, or their videos are owed
 * @param changedAt when a list last showed this process a new entry of this one
 */
export function decideOwners(
	due: readonly QueueItem[],
	free: readonly ListedVideo[],
	others: readonly QueueItem[] = [],
	changedAt = Infinity,
): Decision {
	const own = new Map<QueueItem, ListedVideo>();
	const taken = new Set<ListedVideo>();
	const candidates = new Map(
		due.map((item) => [item, free.filter((each) => canBeOwn(item, each))]),
	);
	const isLeft = (video: ListedVideo) => !taken.has(video);
	const canBeOthers = (item: QueueItem, video: ListedVideo) =>
		[...due, ...others].some((each) => each !== item && !own.has(each) && canBeOwn(each, video));
	// Those with few candidates first: what they are given may leave the others a single one in the same round.
	const open = [...candidates]
		.filter(([item]) => canBeMatched(item))
		.sort(([, a], [, b]) => a.length - b.length);
	for (let before = -1; before < own.size;) {
		before = own.size;
		for (const [item, all] of open) {
			const [video, ...rest] = own.has(item) ? [] : all.filter(isLeft);
			if (video === undefined || rest.length > 0) continue;
			const isSure = item.hasLeft !== true && !isCached(item, video, changedAt);
			if (!isSure && canBeOthers(item, video)) continue;
			own.set(item, video);
			taken.add(video);
		}
	}
	const isMissing = ([item, all]: [QueueItem, ListedVideo[]]) => {
		// The own entry of an item that ended before this process waited for it may have left the list.
		const mustBeListed =
			all.length > 0 || item.sentAt !== undefined || item.runningAt !== undefined;
		return mustBeListed && item.hasLeft !== true && !own.has(item) && !all.some(isLeft);
	};
	const missing = open.filter(isMissing).map(([item]) => item);
	return { own, candidates, missing };
}
