import type { IDataObject } from 'n8n-workflow';

/** A queue item and its log entry may be dated by different clocks. */
const TOLERANCE_MS = 5_000;

const MAX_CANDIDATES = 100;

/**
 * A queue item whose video is looked for in the video log. Times without a unit are ticks: a count
 * of this process's requests and responses for the account, so that no clock decides.
 */
export interface QueuedVideo {
	/** Undefined when it is not known: the video can be of any project. */
	projectId?: string | undefined;
	/** When it was queued, by the service's clock (milliseconds). */
	createdAt?: number | undefined;
	/** When it was last known to be running: entries that were in the log by then are not its own. */
	runningAt?: number | undefined;
	/** Whether it was seen running at a time whose log has been forgotten. */
	hasLostLog?: boolean;
	/** When the log had shown everything that it can own: later entries are not its own. */
	closedAt?: number | undefined;
	/** When it was finished, by the service's clock (milliseconds): to sort its candidates. */
	finishedAt?: number | undefined;
	/** Whether its video is being searched for. */
	isWanting: boolean;
	/** Whether it left the queue. It may have been cleared, so it is given no video. */
	hasLeft?: boolean;
}

/** An entry of the video log without an owner. */
export interface LoggedVideo {
	entry: IDataObject;
	/** Tells the entry from all others. */
	key: string;
	projectId: string;
	/** When it was created, by the service's clock (milliseconds); Infinity without a readable date. */
	createdAt: number;
	/** When a response showed it first, as a tick. */
	seenAt: number;
}

/** The result of a read of the log for an item that wants a video. */
export interface Finding {
	/** The item's only candidate, if no other queue item can own it. */
	video?: LoggedVideo;
	/** Whether there are as many candidates as queue items that can own one: no later video is awaited. */
	isComplete: boolean;
}

/** Entries of one project that were first seen together, oldest first. */
interface Batch {
	seenAt: number;
	videos: LoggedVideo[];
}

/** Entries by their project; the batches that were seen last come first. */
export type VideoBatches = Map<string, Batch[]>;

/** Adds entries that one response showed for the first time. */
export function addVideos(batches: VideoBatches, videos: LoggedVideo[]): void {
	const added = new Map<string, Batch>();
	for (const video of videos) {
		const { projectId, seenAt } = video;
		const batch = added.get(projectId) ?? { seenAt, videos: [] };
		batch.videos.push(video);
		added.set(projectId, batch);
	}
	for (const [projectId, batch] of added) {
		batch.videos.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
		const ofProject = [...(batches.get(projectId) ?? []), batch];
		batches.set(
			projectId,
			ofProject.sort((a, b) => b.seenAt - a.seenAt),
		);
	}
}

/** Removes an entry that has an owner now. */
export function removeVideo(batches: VideoBatches, video: LoggedVideo): void {
	for (const { videos } of batches.get(video.projectId) ?? []) {
		const index = videos.indexOf(video);
		if (index >= 0) videos.splice(index, 1);
	}
}

/** Removes the entries that the log no longer shows: in one pass, since a service may delete many. */
export function removeVanished(batches: VideoBatches, shown: ReadonlyMap<string, unknown>): void {
	for (const batch of [...batches.values()].flat()) {
		batch.videos = batch.videos.filter(({ key }) => shown.has(key));
	}
}

/**
 * Finds the videos of finished queue items, which the API links by project and time only. Nothing is
 * guessed: an item is given a video when it is the item's only candidate and no other item's.
 *
 * @param items all queue items of the account that may own an entry, whether they want one or not
 * @param batches the entries without an owner
 * @returns the finding for each item that wants a video
 */
export function findVideos<Item extends QueuedVideo>(
	items: readonly Item[],
	batches: VideoBatches,
): Map<Item, Finding> {
	const counted = items
		.map((item) => ({ item, count: countCandidates(item, batches) }))
		.filter(({ item, count }) => item.isWanting || count > 0);
	const getOwners = groupByProject(counted.map(({ item }) => item));
	const found = new Map<Item, Finding>();
	for (const { item, count } of counted) {
		if (!item.isWanting) continue;
		const [video] = count === 1 ? listCandidates(item, batches) : [];
		const isOnly =
			item.runningAt !== undefined &&
			item.hasLeft !== true &&
			video !== undefined &&
			!getOwners(video.projectId).some((group) =>
				group.some((other) => other !== item && canOwn(other, video)),
			);
		const ownerCount = getOwners(item.projectId).reduce((sum, { length }) => sum + length, 0);
		found.set(item, {
			...(isOnly ? { video } : {}),
			isComplete: item.hasLostLog !== true && count >= ownerCount,
		});
	}
	return found;
}

/** The items that can own an entry of a project, in lists; those of any project if it is not known. */
function groupByProject<Item extends QueuedVideo>(
	items: Item[],
): (projectId: string | undefined) => Item[][] {
	const groups = new Map<string | undefined, Item[]>();
	for (const item of items) {
		const group = groups.get(item.projectId) ?? [];
		group.push(item);
		groups.set(item.projectId, group);
	}
	return (projectId) =>
		projectId === undefined ? [items] : [groups.get(projectId) ?? [], groups.get(undefined) ?? []];
}

/** The items that want no video and can own an entry, unless they are seen running again. */
export function findRivals<Item extends QueuedVideo>(
	items: readonly Item[],
	batches: VideoBatches,
): Item[] {
	return items.filter((item) => !item.isWanting && countCandidates(item, batches) > 0);
}

/** Whether an entry can be a queue item's: of its project, not there before, and not older. */
export function canOwn(item: QueuedVideo, video: LoggedVideo): boolean {
	const { projectId = video.projectId, runningAt = -1, closedAt = Infinity } = item;
	return (
		projectId === video.projectId &&
		video.seenAt > runningAt &&
		video.seenAt <= closedAt &&
		video.createdAt >= getEarliest(item)
	);
}

function getEarliest({ createdAt = -Infinity }: QueuedVideo): number {
	return createdAt - TOLERANCE_MS;
}

/** The parts of the batches that an item can own: each from an index to the end. */
function findRanges(
	item: QueuedVideo,
	batches: VideoBatches,
): { videos: LoggedVideo[]; from: number }[] {
	const { projectId, runningAt = -1, closedAt = Infinity } = item;
	const groups = projectId === undefined ? batches.values() : [batches.get(projectId) ?? []];
	const ranges: { videos: LoggedVideo[]; from: number }[] = [];
	for (const group of groups) {
		const earliest = getEarliest(item);
		let at = findFirst(group, ({ seenAt }) => seenAt <= closedAt);
		for (let batch = group[at]; batch && batch.seenAt > runningAt; batch = group[++at]) {
			const { videos } = batch;
			const from = findFirst(videos, ({ createdAt }) => createdAt >= earliest);
			if (from < videos.length) ranges.push({ videos, from });
		}
	}
	return ranges;
}

/** Counts the entries that can be an item's own. */
export function countCandidates(item: QueuedVideo, batches: VideoBatches): number {
	let count = 0;
	for (const { videos, from } of findRanges(item, batches)) count += videos.length - from;
	return count;
}

/** The index of the first one of a sorted list for which something holds, by binary search. */
function findFirst<T>(list: readonly T[], holds: (each: T) => boolean): number {
	let low = 0;
	let high = list.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (holds(list[middle] as T)) high = middle;
		else low = middle + 1;
	}
	return low;
}

/** The entries that can be an item's own, at most 100: those nearest to its finish, or else the newest, first. */
export function listCandidates(item: QueuedVideo, batches: VideoBatches): LoggedVideo[] {
	const { finishedAt = Infinity } = item;
	const near: LoggedVideo[] = [];
	for (const { videos, from } of findRanges(item, batches)) {
		const middle = findFirst(videos, ({ createdAt }) => createdAt >= finishedAt);
		near.push(...videos.slice(Math.max(from, middle - MAX_CANDIDATES), middle + MAX_CANDIDATES));
	}
	const distance = ({ createdAt }: LoggedVideo) =>
		finishedAt === Infinity ? -createdAt : Math.abs(createdAt - finishedAt);
	return near.sort((a, b) => distance(a) - distance(b)).slice(0, MAX_CANDIDATES);
}
