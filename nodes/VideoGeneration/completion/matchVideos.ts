import type { IDataObject } from 'n8n-workflow';

/** A queue item whose video is looked for in the video log. */
export interface QueuedVideo {
	projectId?: string | undefined;
	/**
	 * The service's time, in milliseconds, until which it certainly had no entry: it was only queued,
	 * or still running. Undefined when that is not known.
	 */
	notBefore?: number | undefined;
	/** Number of the last read of the video log after which the item was still running. */
	lastRunningRead: number;
	/** The video's address, where the progress tells it. */
	videoUrl?: string | undefined;
}

/** An entry of the video log. */
export interface LoggedVideo {
	entry: IDataObject;
	projectId: string;
	/** When it was logged, in milliseconds; undefined when that cannot be read. */
	createdAt?: number | undefined;
	/** Number of the read of the video log that showed it first. */
	firstSeenRead: number;
}

/** The one entry that is an item's, or all that can be. */
export type VideoMatch = { video: LoggedVideo } | { candidates: LoggedVideo[] };

/**
 * Whether an entry can be an item's by what the API tells: the same project, and not logged before the
 * item was last seen running, neither by its date nor by the reads of the log.
 */
export function canBeVideoOf(item: QueuedVideo, video: LoggedVideo): boolean {
	if (item.projectId !== undefined && item.projectId !== video.projectId) return false;
	if (video.firstSeenRead <= item.lastRunningRead) return false;
	if (item.notBefore === undefined || video.createdAt === undefined) return true;
	// A log that keeps whole seconds only puts an entry before what happened in the same second.
	const isWholeSecond = video.createdAt % 1000 === 0;
	return (
		video.createdAt >= (isWholeSecond ? Math.floor(item.notBefore / 1000) * 1000 : item.notBefore)
	);
}

/**
 * Gives finished items their entries of the video log, which the API links by project and time only.
 * Nothing is guessed: an item gets an entry when it is its own in every way to give each item one,
 * and no entry is given twice.
 *
 * @param finished each of these has an entry, if the log shows it already
 * @param undecided items that were given up on: each of these may have an entry, and what it could
 * push around, however far, is left open
 */
export function matchVideos(
	finished: QueuedVideo[],
	undecided: QueuedVideo[],
	videos: LoggedVideo[],
): Map<QueuedVideo, VideoMatch> {
	const candidates = new Map(
		[...finished, ...undecided].map((item) => [item, findCandidates(item, videos)]),
	);
	const holders = matchAsMany(finished, candidates);
	const held = new Map([...holders].map(([video, item]) => [item, video]));
	const unmatched = [...finished.filter((item) => !held.has(item)), ...undecided];
	const displaced = new Set(reach(unmatched, candidates, holders).items);

	const matches = new Map<QueuedVideo, VideoMatch>();
	for (const item of finished) {
		const video = held.get(item);
		if (video && !displaced.has(item) && !hasAlternative(item, video, candidates, holders)) {
			matches.set(item, { video });
		}
	}
	const given = new Set(
		[...matches.values()].map((match) => ('video' in match ? match.video : undefined)),
	);
	for (const item of finished) {
		if (matches.has(item)) continue;
		matches.set(item, {
			candidates: getAll(candidates, item).filter((video) => !given.has(video)),
		});
	}
	return matches;
}

type Candidates = ReadonlyMap<QueuedVideo, LoggedVideo[]>;
type Holders = ReadonlyMap<LoggedVideo, QueuedVideo>;

function findCandidates(item: QueuedVideo, videos: LoggedVideo[]): LoggedVideo[] {
	const { videoUrl } = item;
	const named = videoUrl === undefined ? [] : videos.filter(({ entry }) => entry.url === videoUrl);
	return named.length > 0 ? named : videos.filter((video) => canBeVideoOf(item, video));
}

/** Kuhn's algorithm: gives as many items as possible one of their candidates each. */
function matchAsMany(items: QueuedVideo[], candidates: Candidates): Map<LoggedVideo, QueuedVideo> {
	const holders = new Map<LoggedVideo, QueuedVideo>();
	const place = (item: QueuedVideo, tried: Set<LoggedVideo>): boolean => {
		for (const video of getAll(candidates, item)) {
			if (tried.has(video)) continue;
			tried.add(video);
			const holder = holders.get(video);
			if (holder === undefined || place(holder, tried)) {
				holders.set(video, item);
				return true;
			}
		}
		return false;
	};
	const byChoice = [...items].sort(
		(a, b) => getAll(candidates, a).length - getAll(candidates, b).length,
	);
	for (const item of byChoice) place(item, new Set());
	return holders;
}

/** Whom the given items can push out of what they hold, one pushing the next, and which entries are so reached. */
function reach(from: QueuedVideo[], candidates: Candidates, holders: Holders) {
	const items: QueuedVideo[] = [];
	const videos = new Set<LoggedVideo>();
	const queue = [...from];
	for (let item = queue.pop(); item !== undefined; item = queue.pop()) {
		for (const video of getAll(candidates, item)) {
			if (videos.has(video)) continue;
			videos.add(video);
			const holder = holders.get(video);
			if (holder === undefined) continue;
			items.push(holder);
			queue.push(holder);
		}
	}
	return { items, videos };
}

/** Whether an item can hold another entry and everybody still holds one. */
function hasAlternative(
	item: QueuedVideo,
	own: LoggedVideo,
	candidates: Candidates,
	holders: Holders,
): boolean {
	const others = new Map(candidates).set(
		item,
		getAll(candidates, item).filter((video) => video !== own),
	);
	const { videos } = reach([item], others, holders);
	return [...videos].some((video) => video === own || !holders.has(video));
}

function getAll(candidates: Candidates, item: QueuedVideo): LoggedVideo[] {
	return candidates.get(item) ?? [];
}
