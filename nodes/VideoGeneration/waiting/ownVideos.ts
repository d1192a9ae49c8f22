import type { IDataObject } from 'n8n-workflow';
import { addTo, MIN_NAME_LENGTH, parseLogTime } from '../api/videoLog';
import type { Unidentified } from '../failures/failure';

/** What is shown in the moment in which an add is sent was there before it. */
const MOMENT_MS = 0.001;

/** A queue item, as far as this process knows it. Several may have had its queue ID, one after the other. */
export interface QueueItem {
	readonly queueId: string;
	/** Undefined when it is not known: the video can be of any project. */
	projectId?: string | undefined;
	/** Its date, in milliseconds since 1970, where that is known. */
	queuedAt?: number | undefined;
	/** When this process has sent its add, by `performance.now()`; undefined if it was queued elsewhere. */
	sentAt?: number | undefined;
	/** The address of its video, if its progress tells it. */
	videoUrl?: string | undefined;
	/** Whether another item has its queue ID by now. */
	isReplaced?: boolean;
	/** The waits for it that go on, or whose video is owed. */
	readonly claims: Set<Claim>;
	/** When a wait for it began or ended last, by `performance.now()`. */
	usedAt?: number;
}

/** What tells a queue item from others. */
export type QueueItemIds = Pick<QueueItem, 'queueId' | 'projectId' | 'queuedAt' | 'sentAt'>;

/**
 * What a wait claims of the list of videos: the entry of its queue item. Several waits may be for one item, and each has
 * a Listing Delay of its own. The wait notes what it sees, and a list that is shown sets `own`. Times are by `performance.now()`.
 */
export interface Claim {
	item: QueueItem;
	/** How long before or after its end the list may show its video. */
	readonly listingDelayMs: number;
	/** When the last progress check was sent that found it running; undefined if none has. */
	runningAt?: number | undefined;
	/** Whether it left the queue before its end was seen: it is finished, or was cleared. */
	hasLeft: boolean;
	/** From this time on, a list that is requested settles it. */
	dueAt?: number | undefined;
	/** Its own entry of the list, or why there is none, once that is settled. */
	own?: OwnVideo | undefined;
	/** Whether that entry has named its queue ID. */
	isNamed?: boolean;
	/** Set when no list told which entry is its own after it left: one that is shown later is another's. */
	listedUntil?: number | undefined;
	/** Aborted where a video of another process may appear, which can own what this process's items cannot. */
	unsure?: AbortSignal | undefined;
	/** Until when its video may still appear, since its wait has ended without it. */
	owedUntil?: number | undefined;
}

export type OwnVideo = { video: IDataObject } | { unidentified: Unidentified };

/** An entry of the list. */
export class ListedVideo {
	time?: number | undefined;

	/**
	 * @param projectId empty when the entry names none: the video can be any item's
	 * @param shownAt when a list first showed it to this process
	 */
	constructor(
		readonly entry: IDataObject,
		readonly projectId: string,
		readonly shownAt: number,
	) {}

	/** In milliseconds since 1970; undefined without a readable date. To read those of a long list takes as long as parsing it. */
	get createdAt(): number | undefined {
		return (this.time ??= parseLogTime(this.entry.createdAt));
	}
}

/** An entry that a list first showed before this time cannot be the claim's own. */
export function getEarliestShownAt({ hasLeft, item, listingDelayMs, runningAt }: Claim): number {
	const { queuedAt, sentAt } = item;
	// Without its add or date, what was listed while it ran is not its own then.
	const mayHaveFailed = hasLeft && (queuedAt ?? sentAt) === undefined;
	const earlyMs = mayHaveFailed ? -MOMENT_MS : listingDelayMs;
	return Math.max((sentAt ?? -Infinity) + MOMENT_MS, (runningAt ?? -Infinity) - earlyMs);
}

/** The date of the oldest entry that can be the claim's own. */
export const getOldestDate = ({ item: { queuedAt }, listingDelayMs }: Claim) =>
	(queuedAt ?? -Infinity) - listingDelayMs;

/** An entry without a readable date can be of any item. */
const getDate = ({ createdAt }: ListedVideo) => createdAt ?? Infinity;

/** Whether an entry is dated before the item of a claim was queued. */
export const isOlder = (claim: Claim, video: ListedVideo) =>
	claim.item.queuedAt !== undefined && getDate(video) < getOldestDate(claim);

/** Whether an entry of its project that names no item can be a claim's own. */
const canBeOwn = (claim: Claim, video: ListedVideo) =>
	video.shownAt >= getEarliestShownAt(claim) &&
	video.shownAt <= (claim.listedUntil ?? Infinity) &&
	!isOlder(claim, video);

/** Whether the list may be cached: nothing of it is new since the end, and the entry is dated before the item last ran. */
function mayBeCached(claim: Claim, { createdAt = -Infinity }: ListedVideo, changedAt: number) {
	const { dueAt = 0, item, listingDelayMs, runningAt = NaN } = claim;
	const { queuedAt = NaN, sentAt = NaN } = item;
	return changedAt < dueAt - listingDelayMs && createdAt < queuedAt + (runningAt - sentAt);
}

/** Whether a claim can be given an entry that does not name it: if nothing is known, its own may have left the list. */
function canBeMatched({ item: { sentAt, queuedAt, videoUrl }, runningAt }: Claim): boolean {
	return videoUrl === undefined && (sentAt ?? queuedAt ?? runningAt) !== undefined;
}

/** What names a claim in an entry: the address that its item's progress tells, and its queue ID. */
export const listNames = ({ item: { queueId, videoUrl } }: Claim) =>
	[videoUrl, queueId.length < MIN_NAME_LENGTH ? undefined : queueId].filter(
		(name) => name !== undefined,
	);

/**
 * Picks the claims that an entry names from those with its queue ID. An entry that was listed before the add, or that is
 * dated before it, names an item that had the queue ID before.
 *
 * @returns none if the entry can be of several items
 */
export function pickNamed(claims: readonly Claim[], video: ListedVideo): readonly Claim[] {
	if (claims.length === 0) return claims;
	const later = claims.filter(({ item }) => video.shownAt > (item.sentAt ?? -Infinity));
	const inTime = later.filter((claim) => !isOlder(claim, video));
	const named = inTime.length > 0 ? inTime : later;
	const last = Math.max(...named.map(getOldestDate));
	// It is dated more than a Listing Delay after the last one: the item before had left the queue by then.
	const isOfLast = (video.createdAt ?? -Infinity) > last + 2 * (named[0]?.listingDelayMs ?? 0);
	const picked = isOfLast ? named.filter((claim) => getOldestDate(claim) === last) : named;
	return picked.every(({ item }) => item === picked[0]?.item) ? picked : [];
}

/** The first index of which `isBehind` is true, as it is from there on. */
function findFirst<Thing>(things: readonly Thing[], isBehind: (thing: Thing) => boolean): number {
	let [low, high] = [0, things.length];
	// Entries of one list were shown at the same time, so most belong at the end.
	if (high > 0 && !isBehind(things[high - 1] as Thing)) return high;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (isBehind(things[middle] as Thing)) high = middle;
		else low = middle + 1;
	}
	return low;
}

/** Two infinite numbers have no difference. */
const compareDescending = (a: number, b: number) => (a > b ? -1 : Number(a < b));

/** The entries that can be of a project, the newest first if dates count: an entry without a project can be of any. */
function groupVideos(videos: readonly ListedVideo[], areDated: boolean) {
	const compare = (a: ListedVideo, b: ListedVideo) => compareDescending(getDate(a), getDate(b));
	const newestFirst = areDated ? [...videos].sort(compare) : videos;
	const groups = new Map<string, ListedVideo[]>();
	for (const video of newestFirst) addTo(groups, video.projectId, video);
	return (project: string): readonly ListedVideo[] => {
		if (project === '') return newestFirst;
		if (!groups.has('')) return groups.get(project) ?? [];
		return newestFirst.filter(({ projectId }) => projectId === '' || projectId === project);
	};
}

/** The claims by project, those added last first, which have the fewest candidates. */
function groupClaims(claims: readonly Claim[]): Map<string, Claim[]> {
	const compare = (a: Claim, b: Claim) =>
		compareDescending(getOldestDate(a), getOldestDate(b)) ||
		compareDescending(getEarliestShownAt(a), getEarliestShownAt(b));
	const groups = new Map<string, Claim[]>();
	for (const claim of [...claims].sort(compare)) addTo(groups, claim.item.projectId ?? '', claim);
	return groups;
}

/**
 * Whether there is an entry for each claim, whichever is whose. Without dates, a list that is the first one to be read may
 * show old entries as new ones.
 */
function areListed(claims: readonly Claim[], videos: readonly ListedVideo[]): boolean {
	let oldest = -Infinity;
	/** From when on an entry can be of each claim and of all before it. */
	const bounds = [...claims]
		.sort((a, b) => getEarliestShownAt(a) - getEarliestShownAt(b))
		.map((claim) => {
			oldest = Math.max(oldest, getOldestDate(claim));
			return { earliest: getEarliestShownAt(claim), oldest };
		});
	/** How many entries can be of each claim and of all before it, but not of the next one, too. */
	const counts = bounds.map(() => 0);
	for (const { createdAt = -Infinity, shownAt } of videos) {
		const last =
			findFirst(bounds, (each) => shownAt < each.earliest || createdAt < each.oldest) - 1;
		if (last >= 0) counts[last] = (counts[last] ?? 0) + 1;
	}
	let spare = 0;
	const isDated = claims.every(({ item }) => item.queuedAt !== undefined);
	return isDated && counts.reverse().every((count) => (spare += count - 1) >= 0);
}

/**
 * Finds the owed videos that a list shows already, whichever is whose: all of a project, or none.
 *
 * @param unsettled the claims whose entries are not known, of which some are owed
 * @param free the entries that are no item's yet
 */
export function findListed(unsettled: readonly Claim[], free: readonly ListedVideo[]): Claim[] {
	const isOwed = ({ owedUntil }: Claim) => owedUntil !== undefined;
	const videos = new Map<string, ListedVideo[]>();
	for (const video of free) addTo(videos, video.projectId, video);
	const others = groupClaims(unsettled.filter((claim) => !isOwed(claim)));
	const getEarliest = (project: string) =>
		Math.min(...(others.get(project) ?? []).map(getEarliestShownAt));
	const earliestOfAny = getEarliest('');
	return [...groupClaims(unsettled.filter(isOwed))].flatMap(([project, claims]) => {
		// What an item can own that is still waited for may be its own.
		const until = Math.min(getEarliest(project), earliestOfAny);
		const shown = project === '' ? [] : (videos.get(project) ?? []);
		const isListed = areListed(
			claims,
			shown.filter(({ shownAt }) => shownAt < until),
		);
		return isListed ? claims : [];
	});
}

/**
 * Counts the entries that can be each claim's own, and finds the one that was shown last, in a time that hardly grows
 * with their number. The caller may give it then.
 */
function* countCandidates(
	claims: readonly Claim[],
	videos: readonly ListedVideo[],
	given: ReadonlySet<ListedVideo>,
) {
	/** The entries that are no older than the claim, those first that were shown last. */
	const candidates: ListedVideo[] = [];
	let next = 0;
	for (const claim of claims) {
		for (let video = videos[next]; video && !isOlder(claim, video); video = videos[++next]) {
			const { shownAt } = video;
			const index = findFirst(candidates, (each) => each.shownAt < shownAt);
			if (given.has(video)) continue;
			// Inserting at the end takes longer.
			if (index === candidates.length) candidates.push(video);
			else candidates.splice(index, 0, video);
		}
		const earliest = getEarliestShownAt(claim);
		const [last] = candidates;
		yield { claim, count: findFirst(candidates, ({ shownAt }) => shownAt < earliest), last };
		if (last && given.has(last)) candidates.shift();
	}
}

/**
 * Decides whose video is whose among entries that name no item. The list shows a due claim's own entry, so a single
 * candidate is its own. It is then no other item's, which may leave another claim a single one. An item that left the
 * queue may have failed, and a cached list may not show it yet, so it is given only what no other item can own.
 *
 * @param due the claims that one list settles, whose entries may be among the `free` ones, which are no item's yet
 * @param all these and the other claims whose entries are not known: they are waited for, or their videos are owed
 * @param changedAt when an entry of this list was last new to this process
 * @returns the claims' own entries, how many each claim could own in the end, and the claims whose entries are missing
 */
export function decideOwners(
	due: readonly Claim[],
	free: readonly ListedVideo[],
	all: readonly Claim[],
	changedAt: number,
) {
	const own = new Map<Claim, ListedVideo>();
	const given = new Set<ListedVideo>();
	const counts = new Map<Claim, number>();
	const listVideos = groupVideos(
		free,
		due.some(({ item }) => item.queuedAt !== undefined),
	);
	const projects = groupClaims(due);
	const countAll = function* () {
		for (const [project, claims] of projects) {
			yield* countCandidates(claims, listVideos(project), given);
		}
	};
	const rivals = groupClaims(all);
	const hasRival = ({ item }: Claim, video: ListedVideo) => {
		const { projectId } = video;
		const groups = projectId === '' ? [all] : [rivals.get(projectId), rivals.get('')];
		return groups.some((group = []) =>
			group.some((each) => each.item !== item && !own.has(each) && canBeOwn(each, video)),
		);
	};
	// Before any is given to another one.
	const hadCandidates = new Set<Claim>();
	if (due.length > 1) {
		for (const { claim, count } of countAll()) if (count > 0) hadCandidates.add(claim);
	}
	for (let before = -1; before < own.size;) {
		before = own.size;
		for (const { claim, count, last: video } of countAll()) {
			counts.set(claim, count);
			if (count !== 1 || !video || own.has(claim) || !canBeMatched(claim)) continue;
			const isSure = !claim.hasLeft && !mayBeCached(claim, video, changedAt);
			if (!isSure && (claim.unsure?.aborted === true || hasRival(claim, video))) continue;
			for (const each of claim.item.claims) own.set(each, video);
			given.add(video);
		}
	}
	const missing = due.filter((claim) => {
		// The own entry of an item that ended before this process waited for it may have left the list.
		const mustBeListed =
			hadCandidates.has(claim) || (claim.item.sentAt ?? claim.runningAt) !== undefined;
		const isWithout = counts.get(claim) === 0 && !own.has(claim) && !claim.hasLeft;
		return isWithout && mustBeListed && canBeMatched(claim);
	});
	return { own, counts, missing };
}
