import type { IDataObject } from 'n8n-workflow';

/** How many candidates are listed. An item with more is not told apart by what others are given. */
const MAX_LISTED = 100;

/** A shorter queue ID, such as 17, may stand in an entry by chance. */
const MIN_NAME_LENGTH = 16;

/** What a run knows of a queue item. Times are by `performance.now()`. */
export interface QueueItem {
	queueId: string;
	/** Undefined when it is not known: the video can be of any project. */
	projectId?: string | undefined;
	/** When this run has sent its add; undefined if it was queued elsewhere. */
	sentAt?: number | undefined;
	/** Of an item that was queued elsewhere: its date by the service's clock, where that is known. */
	queuedAt?: number | undefined;
	/** When the last look was sent that found it running; undefined if none has. */
	runningAt?: number | undefined;
	/** How long before or after its end the list may show its video. */
	listingDelayMs: number;
	/** Whether it left the queue. It may have been cleared, so it may have no video. */
	hasLeft?: boolean;
	/** The address of its video, if its progress tells it. */
	videoUrl?: string | undefined;
}

/** An entry of the list. */
export interface ListedVideo {
	entry: IDataObject;
	key: string;
	/** Empty when the entry names none: the video can be any item's. */
	projectId: string;
	/** In milliseconds since 1970; undefined without a readable date. */
	createdAt: number | undefined;
	/** When this run was first shown it, by `performance.now()`. */
	shownAt: number;
}

/** An item, and the entries that can be its own in the list that must show it. */
export interface Settled<Item> {
	item: Item;
	/** The newest first, at most 100; and the number of all. */
	candidates: ListedVideo[];
	count: number;
	/** The only one that names the item. */
	named: ListedVideo | undefined;
}

export interface Decision<Item> {
	/** The entries of the items whose own one is known. */
	own: Map<Item, ListedVideo>;
	/** The projects whose videos are not listed as assumed; undefined for items of an unknown project. */
	broken: Set<string | undefined>;
}

/** What was shown by then is not the item's own: before its add, or so long before it was found running. */
export function getLastForeign({ sentAt, runningAt, listingDelayMs }: QueueItem): number {
	return Math.max(sentAt ?? -Infinity, (runningAt ?? -Infinity) - listingDelayMs);
}

/** Finds the entries that can be an item's own. */
export function findCandidates<Item extends QueueItem>(
	item: Item,
	videos: readonly ListedVideo[],
): Settled<Item> {
	const lastForeign = getLastForeign(item);
	const named: ListedVideo[] = [];
	let candidates: ListedVideo[] = [];
	let count = 0;
	let oldest = -Infinity;
	for (const video of videos) {
		if (video.shownAt <= lastForeign || !isOfProject(item, video) || isOlder(item, video)) continue;
		count += 1;
		if (isNamed(item, video.entry)) named.push(video);
		if (getTime(video) > oldest) candidates.push(video);
		if (candidates.length < 10 * MAX_LISTED) continue;
		// Sorting all of a long list at once would take too long.
		candidates = pickNewest(candidates);
		oldest = getTime(candidates[MAX_LISTED - 1]);
	}
	const isCertain = named.length === 1;
	return {
		item,
		candidates: pickNewest(candidates),
		count,
		named: isCertain ? named[0] : undefined,
	};
}

function isOfProject(item: QueueItem, { projectId }: ListedVideo): boolean {
	return projectId === item.projectId || item.projectId === undefined || projectId === '';
}

/** Whether an entry is older than an item that was queued elsewhere. The dates may be of different clocks. */
function isOlder(
	{ sentAt, queuedAt, listingDelayMs }: QueueItem,
	{ createdAt }: ListedVideo,
): boolean {
	if (sentAt !== undefined || queuedAt === undefined || createdAt === undefined) return false;
	return createdAt + listingDelayMs <= queuedAt;
}

function getTime(video?: ListedVideo): number {
	return video?.createdAt ?? 0;
}

function pickNewest(videos: ListedVideo[]): ListedVideo[] {
	return videos.sort((a, b) => getTime(b) - getTime(a)).slice(0, MAX_LISTED);
}

/** Whether an entry names the item: by the address that its progress tells, or by its queue ID. */
function isNamed({ queueId, videoUrl }: QueueItem, entry: IDataObject): boolean {
	const { url } = entry;
	if (videoUrl !== undefined) return url === videoUrl;
	if (queueId.length < MIN_NAME_LENGTH) return false;
	for (const field in entry) if (entry[field] === queueId) return true;
	if (typeof url !== 'string' || !url.includes(queueId)) return false;
	const segments = url.replace(/[?#].*/s, '').split('/');
	return segments.some((segment) => segment === queueId || segment.startsWith(`${queueId}.`));
}

/**
 * Decides whose video is whose. The list shows a settled item's own entry, so a single candidate is its
 * own. It is then no other item's, which may leave another item a single candidate.
 *
 * @param settled the items that one list settles
 * @param brokenBefore the projects whose videos were not listed as assumed
 */
export function decideOwners<Item extends QueueItem>(
	settled: readonly Settled<Item>[],
	brokenBefore: ReadonlySet<string | undefined> = new Set(),
): Decision<Item> {
	const broken = new Set(brokenBefore);
	const own = new Map(settled.flatMap(({ item, named }) => (named ? [[item, named]] : [])));
	const taken = new Set(own.values());
	const open = settled.filter(
		({ item, count }) => canBeGiven(item) && !own.has(item) && count <= MAX_LISTED,
	);
	const listLeft = ({ candidates }: Settled<Item>) =>
		candidates.filter((video) => !taken.has(video));
	for (let before = -1; before < own.size;) {
		before = own.size;
		for (const each of open) {
			const [video, ...others] = own.has(each.item) ? [] : listLeft(each);
			if (video === undefined || others.length > 0) continue;
			own.set(each.item, video);
			taken.add(video);
		}
	}
	for (const each of open) {
		const { item, count } = each;
		// The own entry of an item that this run has not seen before its end may have left the list.
		const isListed = count > 0 || item.sentAt !== undefined || item.runningAt !== undefined;
		if (isListed && !own.has(item) && listLeft(each).length === 0) broken.add(item.projectId);
	}
	for (const { item } of open) if (isBroken(broken, item.projectId)) own.delete(item);
	return { own, broken };
}

/** Whether an item can be given an entry that does not name it: otherwise, its own may have left the list. */
function canBeGiven({ sentAt, queuedAt, runningAt, hasLeft, videoUrl }: QueueItem): boolean {
	const isKnown = sentAt !== undefined || queuedAt !== undefined || runningAt !== undefined;
	return isKnown && hasLeft !== true && videoUrl === undefined;
}

/** Whether no item of a project is given a video that does not name it. */
function isBroken(broken: ReadonlySet<string | undefined>, projectId?: string): boolean {
	const isAny = projectId === undefined && broken.size > 0;
	return isAny || broken.has(projectId) || broken.has(undefined);
}
