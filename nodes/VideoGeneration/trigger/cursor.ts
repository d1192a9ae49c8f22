import type { IDataObject } from 'n8n-workflow';
import { hashText } from '../api/hash';
import { isObject, parseEtag, toText } from '../api/response';
import { identifyEntry, MAX_LOG_TIME, parseLogTime } from '../api/videoLog';

/** This many of the newest entries are remembered, and of those without a readable date. */
const MAX_SEEN = 5_000;
const MAX_UNDATED = 1_000;

/**
 * The state of the trigger between two polls, as JSON. Every entry that was ever listed is in `videos`, or
 * its time is at or below `floor`: no entry is new twice, and none above the floor is overlooked. The time
 * of an entry without a readable date is 0, which is below the floor only once such entries were forgotten.
 */
export interface Cursor {
	version: 1;
	/** How often it has changed: of two copies, the one with the higher number is the later one. */
	changes: number;
	/** See `hashAccount`. */
	account: string;
	/** An account that was polled later, and had no videos when it was first polled. */
	emptyAccount?: string | undefined;
	/** The watched projects; empty for all. */
	projects: readonly string[];
	/** Milliseconds since 1970: entries up to this time are not new. -1 while all are remembered. */
	floor: number;
	isUndatedForgotten?: boolean;
	/** The times of the remembered entries, by the hashes of their IDs: 33 bytes each, 198 KB at most. */
	videos: Record<string, number>;
	/** The tag of the last log that was read in full, where the service sends tags. */
	tag?: { etag: string; fullReadAt: number } | undefined;
}

/** The place of a cursor may be empty before the first poll, or hold something else. */
export type StoredCursor = Cursor | 'absent' | 'damaged';

/** The account and the projects that the trigger watches. */
export interface Watch {
	/** See `hashAccount`. */
	account: string;
	/** Empty for all projects. */
	projectIds: readonly string[];
	/** Whether the first poll emits the videos that it finds. */
	emitExisting: boolean;
	/** Whether the cursor is that of the last poll, and not of an earlier one that n8n had saved. */
	isContinuous: boolean;
}

export interface Selection {
	/** The new entries, oldest first. */
	videos: IDataObject[];
	/** The same object when nothing changed. */
	cursor: Cursor;
}

interface ListedEntry {
	entry: IDataObject;
	hash: number;
	/** 0 without a readable date. */
	time: number;
}

/** @returns `damaged` for anything but a cursor: without what it remembers, old videos would be new */
export function parseCursor(value: unknown): StoredCursor {
	if (value === undefined) return 'absent';
	if (!isObject(value)) return 'damaged';
	const { version, changes, account, projects, floor, videos } = value as Partial<Cursor>;
	const isSound = version === 1 && typeof account === 'string' && Array.isArray(projects);
	const hasTimes = Number.isInteger(floor) && Number(floor) < MAX_LOG_TIME && isObject(videos);
	const isCursor = isSound && hasTimes && Number.isInteger(changes);
	return isCursor ? (value as unknown as Cursor) : 'damaged';
}

/** Short enough to tell nothing about the key. @param account as `openService` identifies it */
export function hashAccount(account: number): string {
	return String(account % 2 ** 18);
}

/**
 * Selects the new entries of the video log: those whose ID was never listed, whatever their date says,
 * unless they are as old as the entries that are not remembered any more.
 *
 * @param log the whole list of "GET /v1/videos", in any order; empty if it has not changed
 */
export function selectNewVideos(
	log: readonly unknown[],
	stored: StoredCursor,
	{ account, projectIds, emitExisting, isContinuous }: Watch,
): Selection {
	if (typeof stored !== 'string' && stored.account !== account && log.length === 0) {
		// Another account, or the same one with a new key: the first list with entries tells.
		const cursor = { ...stored, changes: stored.changes + 1, emptyAccount: account };
		return { videos: [], cursor: stored.emptyAccount === account ? stored : cursor };
	}
	const isKnown = typeof stored !== 'string' && isSameAccount(log, stored, account);
	const before = isKnown ? stored : createCursor(stored, account, projectIds);
	// All videos of another account are new if it was empty when it was first polled.
	const isFirst = !isKnown && (typeof stored === 'string' || stored.emptyAccount !== account);
	const isSame = before.account === account && isSameSet(before.projects, projectIds);
	if (isKnown && isSame && log.length === 0) return { videos: [], cursor: before };
	const seen = new Map(Object.entries(before.videos).map(([hash, time]) => [Number(hash), time]));
	const unseen = listEntries(log, before).filter(({ hash, time }) => {
		if (seen.has(hash)) return false;
		seen.set(hash, time);
		return true;
	});
	const isChanged = !isKnown || !isSame || unseen.length > 0;
	const after = { ...before, changes: before.changes + 1, account, projects: projectIds };
	const isEmitting = !isFirst || (stored === 'absent' && emitExisting);
	// When n8n has not saved the last polls, the earlier videos of a project that was added since are
	// unseen too. Only the next videos of such a project are new.
	const isNew = ({ entry }: ListedEntry) =>
		isWatched(entry, projectIds) && (isContinuous || isWatched(entry, before.projects));
	const cursor = isChanged ? { ...after, ...forgetOldest(seen, before) } : before;
	return { videos: isEmitting ? sortOldestFirst(unseen.filter(isNew)) : [], cursor };
}

/** The entry with the latest date, for a test event. */
export function findNewestVideo(
	log: readonly unknown[],
	projectIds: readonly string[],
): IDataObject | undefined {
	const watched = listEntries(log).filter(({ entry }) => isWatched(entry, projectIds));
	return watched.sort((a, b) => b.time - a.time)[0]?.entry;
}

const HOUR_MS = 60 * 60 * 1000;

/**
 * The tag to request the log with. Once an hour the log is read in full, so that a tag that fails to
 * change delays new videos and does not lose them; a kept time in the future counts as over.
 *
 * @param now milliseconds since 1970
 */
export function findTag(stored: StoredCursor, account: string, now: number): string | undefined {
	if (typeof stored === 'string' || stored.account !== account) return undefined;
	const ageMs = now - (stored.tag?.fullReadAt ?? NaN);
	return ageMs >= 0 && ageMs < HOUR_MS ? parseEtag(stored.tag?.etag) : undefined;
}

/**
 * Keeps the tag of a log that was read in full, with the cursor that knows all of its entries.
 *
 * @returns the same object when nothing changed
 */
export function keepTag(cursor: Cursor, etag: string | undefined, now: number): Cursor {
	if (etag === undefined && cursor.tag === undefined) return cursor;
	const tag = etag === undefined ? undefined : { etag, fullReadAt: now };
	return { ...cursor, changes: cursor.changes + 1, tag };
}

function createCursor(stored: StoredCursor, account: string, projects: readonly string[]): Cursor {
	const changes = typeof stored === 'string' ? 0 : stored.changes;
	return { version: 1, changes, account, projects, floor: -1, videos: {} };
}

/**
 * Whether the key and the address are the same, or an entry was seen before: then only the key is new. Two
 * services may use the same IDs, so an entry counts with its time.
 */
function isSameAccount(log: readonly unknown[], cursor: Cursor, account: string): boolean {
	if (cursor.account === account) return true;
	return listEntries(log, cursor).some(({ hash, time }) => cursor.videos[hash] === time);
}

const DAY_MS = 24 * HOUR_MS;
/** A date that can be read, of a time since 2000. */
const ISO_DATE =
	/^2\d\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-][01]\d:?[0-5]\d)$/;

/**
 * The entries of the log, without those that are forgotten. Dates of ISO 8601 sort like text within a day, so
 * most old ones are left out without being parsed, which would take a sixth of the time of the request.
 */
function listEntries(
	log: readonly unknown[],
	{ floor = -1, isUndatedForgotten = false }: Partial<Cursor> = {},
): ListedEntry[] {
	const dayBefore = floor < 0 ? '' : new Date(floor - DAY_MS).toISOString();
	const listed: ListedEntry[] = [];
	for (const entry of log) {
		if (!isObject(entry)) continue;
		const { createdAt } = entry;
		if (typeof createdAt === 'string' && createdAt < dayBefore && ISO_DATE.test(createdAt))
			continue;
		const time = parseLogTime(createdAt) ?? 0;
		const isOld = time === 0 ? isUndatedForgotten : time <= floor;
		const identity = isOld ? undefined : identifyEntry(entry);
		if (identity !== undefined) listed.push({ entry, hash: hashText(identity), time });
	}
	return listed;
}

function isWatched({ projectId }: IDataObject, projectIds: readonly string[]): boolean {
	return projectIds.length === 0 || projectIds.includes(toText(projectId));
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
	return other.every((id) => one.includes(id)) && one.every((id) => other.includes(id));
}

/** Those without a readable date come last. */
function sortOldestFirst(videos: ListedEntry[]): IDataObject[] {
	const getPlace = ({ time }: ListedEntry) => time || Number.MAX_SAFE_INTEGER;
	return videos.sort((a, b) => getPlace(a) - getPlace(b)).map(({ entry }) => entry);
}

/** Keeps the newest entries. Those of one millisecond stay together: only their time tells that they are old. */
function forgetOldest(
	seen: Map<number, number>,
	before: Cursor,
): Pick<Cursor, 'floor' | 'isUndatedForgotten' | 'videos'> {
	const times = Float64Array.from(seen.values()).sort();
	const dated = times.subarray(times.findIndex((time) => time > 0));
	const floor = dated.at(-MAX_SEEN - 1) ?? before.floor;
	const isUndatedForgotten =
		before.isUndatedForgotten === true || times.filter((time) => time === 0).length > MAX_UNDATED;
	const kept = [...seen].filter(([, time]) => (time === 0 ? !isUndatedForgotten : time > floor));
	return { floor, isUndatedForgotten, videos: Object.fromEntries(kept) };
}
