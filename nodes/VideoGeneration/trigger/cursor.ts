import type { IDataObject } from 'n8n-workflow';
import { hashText } from '../api/hashText';
import { createIncomplete, isObject, toText } from '../api/response';
import {
	identifyEntry,
	ISO_DATE,
	MAX_LOG_TIME,
	parseLogTime,
	sortNewestFirst,
} from '../api/videoLog';
import { adoptChanges, isRemembered, type ListedEntry, type Remembered } from './listChanges';

/** This many of the newest entries are remembered, and of those without a readable date. */
const MAX_SEEN = 5_000;
const MAX_UNDATED = 1_000;

/** A list of this size may hold only the newest entries: a deletion then brings old ones into it. */
const MIN_CUT_OFF = 50;

/** Of a list of this size, an entry was seen before, unless others have left it meanwhile. */
const MIN_GAP_LIST = 10;

/** A value of the `ETag` header (RFC 9110, section 8.8.3) that can be sent back. */
const ETAG = /^[\x21-\x7e]{1,200}$/;

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/**
 * The state of the trigger between two polls, as JSON. Every entry that was ever listed is in `videos`, or
 * its time is at or below `floor`: no entry is new twice, and none above the floor is overlooked. The time
 * of an entry without a readable date is 0, which is old only once such entries were forgotten.
 */
export interface Cursor extends Remembered {
	version: 1;
	/** How often it has changed: of two copies, the one with the higher number is the later one. */
	changes: number;
	account: string;
	/** An account that was polled later, and had no videos when it was first polled. */
	emptyAccount?: Pick<Cursor, 'account' | 'floor'> | undefined;
	/** The watched projects; empty for all. */
	projects: readonly string[];
	isUndatedForgotten?: boolean;
	/** Whether the list may show entries that are not remembered, since they are older than the floor. */
	hasForgotten?: boolean;
	/** The tag of the last log that was read in full, where the service sends tags. */
	tag?: { account: string; etag: string; fullReadAt: number } | undefined;
}

/** The place of a cursor is empty before the first poll. It may also hold something else. */
export type StoredCursor = Cursor | 'absent' | 'damaged';

export interface Watch {
	account: string;
	projectIds: readonly string[];
	emitExisting: boolean;
	/** When the service answered, by its own clock: milliseconds since 1970. */
	polledAt: number;
}

/** The entries of a list, and how many others are older than the floor. */
interface Listed {
	entries: ListedEntry[];
	oldCount: number;
}

/** Anything but a cursor is `damaged`: without what it remembers, old videos would be new. */
export function parseCursor(value: unknown): StoredCursor {
	if (value === undefined) return 'absent';
	if (!isObject(value)) return 'damaged';
	const { version, changes, account, projects, floor, videos } = value as Partial<Cursor>;
	const isSound = version === 1 && typeof account === 'string' && Array.isArray(projects);
	const hasTimes = Number.isInteger(floor) && Number(floor) < MAX_LOG_TIME && isObject(videos);
	const isCursor = isSound && hasTimes && Number.isInteger(changes);
	return isCursor ? (value as unknown as Cursor) : 'damaged';
}

/**
 * Selects the new entries of the video log: those whose ID was never listed, whatever their date says,
 * unless they are as old as the entries that are not remembered any more.
 *
 * @param log the whole list of "GET /v1/videos", in any order; empty if it has not changed
 * @returns the new entries, oldest first; the cursor, the same object when nothing changed; and whether no entry
 * was seen before, so that others may have left a list that shows only the newest ones
 * @throws a RequestFailure, see `requireFields`
 */
export function selectNewVideos(
	log: readonly unknown[],
	stored: StoredCursor,
	watch: Watch,
): { videos: IDataObject[]; cursor: Cursor; hasGap: boolean } {
	const { account, projectIds, emitExisting, polledAt } = watch;
	const saved = typeof stored === 'string' ? undefined : stored;
	const isOwn = saved?.account === account;
	const isSame = isOwn && JSON.stringify(saved.projects) === JSON.stringify(projectIds);
	const listed = listEntries(log, isOwn ? saved.floor : -1);
	const isEmpty = listed.entries.length + listed.oldCount === 0;
	const changes = (saved?.changes ?? 0) + 1;
	// A service may answer with an empty list for a moment: what was there before is not new afterwards.
	const emptyAccount = { account, floor: polledAt - DAY_MS - 1 };
	const wasEmpty = saved?.emptyAccount?.account === account ? saved.emptyAccount : undefined;
	if (saved && isEmpty) {
		// Another account, or the same one with a new key: the first list with entries tells.
		const change = isOwn ? { projects: projectIds } : { emptyAccount };
		const cursor = isSame || wasEmpty ? saved : { ...saved, changes, ...change };
		return { videos: [], cursor, hasGap: false };
	}
	// If an entry was seen before, only the key is new. Two services may use the same IDs, so its time counts.
	const isSeen = saved && listed.entries.some((each) => isRemembered(saved, each));
	const known = isOwn || isSeen ? saved : undefined;
	const isEmitting = Boolean(known ?? wasEmpty) || (stored === 'absent' && emitExisting);
	const baseline = wasEmpty ?? (isEmpty && !isEmitting ? emptyAccount : { account, floor: -1 });
	const first: Cursor = { version: 1, changes, ...baseline, projects: projectIds, videos: {} };
	const before = known ? leaveOutOlder(adoptChanges(known, listed.entries), listed) : first;

	const { changed, unseen, hasForgotten, hasGap } = findNews(listed, before);
	if (isEmitting) requireFields(listed, { ...before, hasForgotten }, unseen, projectIds);
	// The earlier videos of a project that was added since may be unseen, but are not new.
	const filters = [projectIds, before.projects];
	const isWanted = ({ entry }: ListedEntry) => filters.every((ids) => isWatched(entry, ids));
	const videos = isEmitting ? sortOldestFirst(unseen.filter(isWanted)) : [];
	const floor = Math.max(before.floor, findCutOff(listed));
	const hasLimits = before.floor === floor && before.hasForgotten === hasForgotten;
	const isUnchanged = isSame && saved === before && hasLimits && changed.length === 0;
	const after = { ...before, floor, hasForgotten, changes, account, projects: projectIds };
	return { videos, cursor: isUnchanged ? saved : remember(after, changed), hasGap };
}

/** If an entry has left a list of which all was seen, older ones than those have moved up into it, and are not new. */
function leaveOutOlder(before: Cursor, { entries }: Listed): Cursor {
	const oldest = findOldest(Object.values(before.videos));
	const hasOlder = findOldest(entries.map(({ time }) => time)) < oldest;
	if (before.floor >= 0 || !hasOlder || oldest === Infinity) return before;
	const listed = new Set(entries.map(({ hash }) => hash));
	const hasLeft = Object.keys(before.videos).some((hash) => !listed.has(hash));
	return hasLeft ? { ...before, floor: oldest - 1 } : before;
}

function findOldest(times: readonly number[]): number {
	return times.reduce((oldest, time) => Math.min(oldest, time || Infinity), Infinity);
}

/** What a list shows that was not seen before, or has another date now. */
function findNews({ entries, oldCount }: Listed, before: Cursor) {
	const changed = new Map<string, ListedEntry>();
	let hasForgotten = before.hasForgotten === true || oldCount > 0;
	for (const listed of entries) {
		const { hash, time } = listed;
		const wasAt = before.videos[hash];
		const isOld = isForgotten(time, before);
		if (isOld) hasForgotten ||= time > 0;
		else if (wasAt === undefined || (wasAt !== time && time > 0)) changed.set(hash, listed);
	}
	const isUnseen = ({ hash }: ListedEntry) =>
		changed.has(hash) && before.videos[hash] === undefined;
	const isLong = entries.length >= MIN_GAP_LIST && oldCount === 0;
	return {
		changed: [...changed.values()],
		unseen: [...changed.values()].filter(isUnseen),
		hasForgotten,
		hasGap: isLong && Object.keys(before.videos).length > 0 && entries.every(isUnseen),
	};
}

/** @throws a RequestFailure if a field is missing that tells whether entries are new, or wanted */
function requireFields(
	{ entries, oldCount }: Listed,
	{ isUndatedForgotten, hasForgotten }: Cursor,
	unseen: readonly ListedEntry[],
	projectIds: readonly string[],
): void {
	const isUndated = oldCount === 0 && entries.every(({ time }) => time === 0);
	const isUnsure = isUndatedForgotten === true || (hasForgotten === true && unseen.length > 0);
	if (entries.length > 0 && isUndated && isUnsure) throw createIncomplete('createdAt');
	const isOfNone = ({ entry }: ListedEntry) => toText(entry.projectId) === '';
	const isWanted = projectIds.length > 0 && unseen.length > 0;
	if (isWanted && entries.every(isOfNone)) throw createIncomplete('projectId');
}

/** The entry with the latest date, for a test event. */
export function findNewestVideo(
	log: readonly unknown[],
	projectIds: readonly string[],
): IDataObject | undefined {
	const isListed = (video: IDataObject) => identifyEntry(video) !== undefined;
	const videos = sortNewestFirst(log).map(({ video }) => video);
	return videos.find((video) => isListed(video) && isWatched(video, projectIds));
}

/** The tag to request the log with; none once an hour, so that a tag that fails to change loses no video. */
export function findTag(stored: StoredCursor, account: string, now: number): string | undefined {
	const tag = typeof stored === 'string' ? undefined : stored.tag;
	if (tag?.account !== account) return undefined;
	const ageMs = now - tag.fullReadAt;
	return ageMs >= 0 && ageMs < HOUR_MS && ETAG.test(tag.etag) ? tag.etag : undefined;
}

/** The cursor with the tag of a log that was read in full. */
export function keepTag(cursor: Cursor, account: string, header: unknown, now: number): Cursor {
	const etag = toText(header);
	if (etag === '' && cursor.tag === undefined) return cursor;
	const tag = etag === '' ? undefined : { account, etag, fullReadAt: now };
	return { ...cursor, changes: cursor.changes + 1, tag };
}

function isForgotten(time: number, { floor, isUndatedForgotten = false }: Cursor): boolean {
	return time === 0 ? isUndatedForgotten : time <= floor;
}

/** The time up to which a list may have been cut off, or -1. A list that reaches below the floor was not. */
function findCutOff({ entries, oldCount }: Listed): number {
	if (oldCount > 0 || entries.length < MIN_CUT_OFF) return -1;
	const oldest = findOldest(entries.map(({ time }) => time));
	return oldest === Infinity ? -1 : oldest - 1;
}

/**
 * The entries of the log. Those older than the floor, almost all of a long log, are only counted: reading their dates
 * would take as long as parsing them. Dates of ISO 8601 sort like text, but for their zones.
 */
function listEntries(log: readonly unknown[], floor: number): Listed {
	const dayBefore = floor < 0 ? '' : new Date(floor - DAY_MS).toISOString();
	const entries: ListedEntry[] = [];
	let oldCount = 0;
	for (const entry of log) {
		if (!isObject(entry)) continue;
		const { createdAt } = entry;
		if (typeof createdAt === 'string' && createdAt < dayBefore && ISO_DATE.test(createdAt)) {
			oldCount += 1;
			continue;
		}
		const identity = identifyEntry(entry);
		if (identity === undefined) continue;
		entries.push({ entry, hash: String(hashText(identity)), time: parseLogTime(createdAt) ?? 0 });
	}
	return { entries, oldCount };
}

function isWatched({ projectId }: IDataObject, projectIds: readonly string[]): boolean {
	return projectIds.length === 0 || projectIds.includes(toText(projectId));
}

/** Those without a readable date come last. */
function sortOldestFirst(videos: ListedEntry[]): IDataObject[] {
	const getPlace = ({ time }: ListedEntry) => time || Number.MAX_SAFE_INTEGER;
	return videos.sort((a, b) => getPlace(a) - getPlace(b)).map(({ entry }) => entry);
}

/** Adds entries, and keeps the newest. Those of one millisecond stay together: only their time tells that they are old. */
function remember(before: Cursor, added: readonly ListedEntry[]): Cursor {
	const all = new Map(Object.keys(before.videos).map((hash) => [hash, before.videos[hash] ?? 0]));
	for (const { hash, time } of added) all.set(hash, time);
	const times = Float64Array.from(all.values()).sort();
	const dated = times.filter((time) => time > 0);
	const floor = Math.max(before.floor, dated.at(-MAX_SEEN - 1) ?? -1);
	const isUndatedForgotten =
		before.isUndatedForgotten === true || times.length - dated.length > MAX_UNDATED;
	const after = { ...before, floor, isUndatedForgotten, videos: {} as Cursor['videos'] };
	for (const [hash, time] of all) {
		if (isForgotten(time, after)) after.hasForgotten = true;
		else after.videos[hash] = time;
	}
	return after;
}
