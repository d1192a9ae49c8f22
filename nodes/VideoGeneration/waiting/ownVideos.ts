import type { IDataObject } from 'n8n-workflow';

/** A shorter queue ID, such as 17, may stand in an entry by chance. */
const MIN_NAME_LENGTH = 16;

/** A queue item, as far as a run knows it. Times are by `performance.now()`, unless they are dates of the service. */
export interface QueueItem {
	queueId: string;
	/** Undefined when it is not known: the video can be of any project. */
	projectId?: string | undefined;
	/** When this run has sent its add; undefined if it was queued elsewhere. */
	sentAt?: number | undefined;
	/** Its date, in milliseconds since 1970, where that is known. */
	queuedAt?: number | undefined;
	/** Whether this run had read the list just before its add: what was listed by then is another's, whatever its date. */
	isListKnown?: boolean | undefined;
	/** The addresses of videos that are other executions' items'. */
	given?: ReadonlySet<string> | undefined;
	/** When the last progress check was sent that found it running; undefined if none has. */
	runningAt?: number | undefined;
	/** How long before or after its end the list may show its video. */
	listingDelayMs: number;
	/** Whether it left the queue: it is finished, or was cleared. */
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
	/** When a list first showed it to this run. */
	shownAt: number;
}

/** An item, and the entries that can be its own in the list that must show it. */
export interface Settled<Item> {
	item: Item;
	candidates: ListedVideo[];
}

/** Finds the entries that can be an item's own, among those that are no item's yet. */
export function findCandidates<Item extends QueueItem>(
	item: Item,
	free: readonly ListedVideo[],
): Settled<Item> {
	const { projectId } = item;
	const isOfProject = (video: ListedVideo) =>
		projectId === undefined || video.projectId === '' || video.projectId === projectId;
	return { item, candidates: free.filter((each) => isOfProject(each) && canBeOwn(item, each)) };
}

/** An entry that a list first showed before this time cannot be the item's own. */
export function getEarliest({ sentAt, runningAt, listingDelayMs }: QueueItem): number {
	return Math.max(sentAt ?? -Infinity, (runningAt ?? -Infinity) - listingDelayMs);
}

/** Whether an entry of its project can be an item's own. */
function canBeOwn(item: QueueItem, { createdAt = Infinity, entry, shownAt }: ListedVideo): boolean {
	if (item.given?.has(entry.url as string) === true) return false;
	const { sentAt = -Infinity, queuedAt = -Infinity, listingDelayMs } = item;
	const isOlder = item.isListKnown !== true && createdAt < queuedAt - listingDelayMs;
	return shownAt > sentAt && shownAt >= getEarliest(item) && !isOlder;
}

/** Finds the items that entries name: by the address that the item's progress tells, or by its queue ID. */
export class ItemNames<Item extends QueueItem> {
	private readonly items = new Map<unknown, Item>();

	constructor(items: Iterable<Item>) {
		for (const item of items) {
			if (item.videoUrl !== undefined) this.items.set(item.videoUrl, item);
			if (item.queueId.length >= MIN_NAME_LENGTH) this.items.set(item.queueId, item);
		}
	}

	/** The item whose name is a field of the entry, or a segment of the path of its address. */
	find(entry: IDataObject): Item | undefined {
		if (this.items.size === 0) return undefined;
		for (const field in entry) {
			const item = this.items.get(entry[field]);
			if (item) return item;
		}
		const { url } = entry;
		if (typeof url !== 'string') return undefined;
		for (const segment of url.replace(/[?#].*/s, '').split('/')) {
			const item = this.items.get(segment) ?? this.items.get(segment.replace(/\..*/s, ''));
			if (item) return item;
		}
		return undefined;
	}
}

export interface Decision<Item> {
	/** The entries of the items whose own one is known. */
	own: Map<Item, ListedVideo>;
	/** The projects whose videos are not listed as assumed; undefined for items of an unknown project. */
	unreliable: Set<string | undefined>;
}

/**
 * Decides whose video is whose among entries that name no item. The list shows a settled item's own entry,
 * so a single candidate is its own. It is then no other item's, which may leave another item a single one.
 *
 * @param settled the items that one list settles
 * @param unreliableBefore the projects whose videos were not listed as assumed
 */
export function decideOwners<Item extends QueueItem>(
	settled: readonly Settled<Item>[],
	unreliableBefore: ReadonlySet<string | undefined> = new Set(),
): Decision<Item> {
	const unreliable = new Set(unreliableBefore);
	const own = new Map<Item, ListedVideo>();
	const taken = new Set<ListedVideo>();
	const open = settled.filter(({ item }) => canBeMatched(item));
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
		const { item, candidates } = each;
		// The own entry of an item that ended before this run may have left the list since.
		const mustBeListed =
			candidates.length > 0 || item.sentAt !== undefined || item.runningAt !== undefined;
		// An item that has left the queue may have been cleared.
		const isMissing = !own.has(item) && listLeft(each).length === 0 && item.hasLeft !== true;
		if (mustBeListed && isMissing) unreliable.add(item.projectId);
	}
	for (const { item } of open) if (isUnreliable(unreliable, item.projectId)) own.delete(item);
	return { own, unreliable };
}

/** Whether an item can be given an entry that does not name it: otherwise, its own may have left the list. */
function canBeMatched({ sentAt, queuedAt, runningAt, videoUrl }: QueueItem): boolean {
	const isKnown = sentAt !== undefined || queuedAt !== undefined || runningAt !== undefined;
	return isKnown && videoUrl === undefined;
}

/** Whether no item of a project is given a video that does not name it. */
function isUnreliable(unreliable: ReadonlySet<string | undefined>, projectId?: string): boolean {
	const isAny = projectId === undefined && unreliable.size > 0;
	return isAny || unreliable.has(projectId) || unreliable.has(undefined);
}
