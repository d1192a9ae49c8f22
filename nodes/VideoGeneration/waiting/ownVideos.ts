import type { IDataObject } from 'n8n-workflow';

const MAX_LISTED = 100;

/**
 * A queue item of a run. Times are ticks: a count of the run's requests and responses, so that no clock
 * and no date decides.
 */
export interface WaitingItem {
	/** Undefined when it is not known: the video can be of any project. */
	projectId?: string | undefined;
	/** When it was last known to be running; undefined if it never was. Entries shown by then are not its own. */
	runningTick?: number | undefined;
	/** The first log that must show its video: entries shown later are not its own. */
	settledTick?: number | undefined;
	/** Whether it left the queue. It may have been cleared, so it may have no video. */
	hasLeft?: boolean;
	/** The address of its video, if the service tells it. */
	videoUrl?: string | undefined;
	/** Its own entry, once it is known. */
	video?: LoggedVideo | undefined;
	/** The number of waits for it that are under way. */
	waits: number;
}

/** An entry of the video log. */
export interface LoggedVideo {
	entry: IDataObject;
	/** Empty when the entry names none: the video can be any item's. */
	projectId: string;
	/** In milliseconds since 1970, or 0 without a readable date. Only sorts the candidates that are listed. */
	createdAt: number;
	/** When a response showed it first, as a tick. */
	shownTick: number;
	/** Whether it is known to be an item's own. */
	isOwned: boolean;
}

/** The entries of one list from an index up to, but not including, another one. */
interface Range {
	list: readonly LoggedVideo[];
	from: number;
	to: number;
}

/** The entries that the log has shown in a run and that no item owns, in the order in which they were shown. */
export class FreeVideos {
	private readonly all: LoggedVideo[] = [];

	private readonly byProject = new Map<string, LoggedVideo[]>();

	/** Adds an entry that is shown for the first time, after all others. */
	add(video: LoggedVideo): void {
		this.all.push(video);
		const ofProject = this.byProject.get(video.projectId);
		if (ofProject) ofProject.push(video);
		else this.byProject.set(video.projectId, [video]);
	}

	/** Removes an entry that has an owner now. */
	remove(video: LoggedVideo): void {
		for (const list of [this.all, this.byProject.get(video.projectId) ?? []]) {
			const index = list.lastIndexOf(video);
			if (index >= 0) list.splice(index, 1);
		}
	}

	/** Where an item's candidates are. */
	findRanges({ projectId, runningTick = -1, settledTick = Infinity }: WaitingItem): Range[] {
		const lists =
			projectId === undefined
				? [this.all]
				: [this.byProject.get(projectId) ?? [], this.byProject.get('') ?? []];
		return lists.map((list) => ({
			list,
			from: findFirstAfter(list, runningTick),
			to: findFirstAfter(list, settledTick),
		}));
	}

	/** Counts the entries that can be an item's own. */
	count(item: WaitingItem): number {
		return this.findRanges(item).reduce((sum, { from, to }) => sum + to - from, 0);
	}

	/** The entries that can be an item's own: the newest first, at most 100. */
	list(item: WaitingItem): LoggedVideo[] {
		let newest: LoggedVideo[] = [];
		let oldestTime = -Infinity;
		const keepNewest = () => {
			newest = newest.sort((a, b) => b.createdAt - a.createdAt).slice(0, MAX_LISTED);
			if (newest.length === MAX_LISTED) oldestTime = newest.at(-1)?.createdAt ?? oldestTime;
		};
		for (const { list, from, to } of this.findRanges(item)) {
			for (let at = from; at < to; at++) {
				const video = list[at];
				if (video && video.createdAt > oldestTime) newest.push(video);
				// Sorting all of a long list would take too long.
				if (newest.length >= 10 * MAX_LISTED) keepNewest();
			}
		}
		keepNewest();
		return newest;
	}
}

/** The index of the first entry that was shown after a tick, by binary search. */
function findFirstAfter(list: readonly LoggedVideo[], tick: number): number {
	let low = 0;
	let high = list.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((list[middle]?.shownTick ?? 0) <= tick) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** Whether an entry can be an item's own: of its project, first shown after it was last seen running, and before it was settled. */
export function canOwn(item: WaitingItem, { projectId, shownTick, isOwned }: LoggedVideo): boolean {
	const { runningTick = -1, settledTick = Infinity } = item;
	const isOfProject =
		item.projectId === undefined || projectId === '' || projectId === item.projectId;
	return !isOwned && isOfProject && shownTick > runningTick && shownTick <= settledTick;
}

/** Whether an item can be given a video. If it was never seen running, its own may have left the log long ago. */
export function canBeGiven({ runningTick, hasLeft, video, videoUrl }: WaitingItem): boolean {
	return runningTick !== undefined && !hasLeft && video === undefined && videoUrl === undefined;
}

export interface Decision<Item> {
	/** The entries of the items whose own one is known now. */
	own: Map<Item, LoggedVideo>;
	/**
	 * The projects whose log is not as assumed: an item has no candidate, or two items have the same only
	 * one. No item of these projects is in `own`. Undefined stands for items of an unknown project.
	 */
	broken: Set<string | undefined>;
}

/**
 * Decides whose video is whose. The log has shown a settled item's own entry, so a single candidate is
 * its own. It is then no other item's, which may leave another item with a single candidate.
 */
export function decideOwners<Item extends WaitingItem>(
	items: readonly Item[],
	videos: FreeVideos,
): Decision<Item> {
	const settled = items
		.filter((item) => item.settledTick !== undefined && canBeGiven(item))
		.map((item) => ({ item, count: videos.count(item) }));
	const own = new Map<Item, LoggedVideo>();
	const taken = new Set<LoggedVideo>();
	const broken = new Set<string | undefined>();
	const single = settled.filter(({ count }) => count === 1);
	for (const { item } of single) {
		const video = findLast(videos, item, taken);
		if (video === undefined) continue;
		own.set(item, video);
		taken.add(video);
		for (const other of settled) {
			if (other.item === item || !canOwn(other.item, video)) continue;
			other.count -= 1;
			if (other.count === 1) single.push(other);
			if (other.count === 0) broken.add(item.projectId);
		}
	}
	for (const { item, count } of settled) if (count === 0) broken.add(item.projectId);
	for (const item of [...own.keys()]) if (isBroken(broken, item.projectId)) own.delete(item);
	return { own, broken };
}

/** Whether no item of a project is given a video. */
export function isBroken(
	broken: ReadonlySet<string | undefined>,
	projectId: string | undefined,
): boolean {
	return (
		broken.has(projectId) || broken.has(undefined) || (projectId === undefined && broken.size > 0)
	);
}

/** An item's candidate that was shown last. */
function findLast(
	videos: FreeVideos,
	item: WaitingItem,
	taken: ReadonlySet<LoggedVideo>,
): LoggedVideo | undefined {
	let last: LoggedVideo | undefined;
	for (const { list, from, to } of videos.findRanges(item)) {
		let at = to - 1;
		for (let video = list[at]; video && at >= from && taken.has(video); video = list[at]) at -= 1;
		const video = at >= from ? list[at] : undefined;
		if (video && video.shownTick > (last?.shownTick ?? 0)) last = video;
	}
	return last;
}
