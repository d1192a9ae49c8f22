import type { IDataObject } from 'n8n-workflow';
import { createIncomplete, hashText, isObject, toText } from '../api/response';
import { identifyEntry, ISO_DATE, MAX_LOG_TIME, parseLogTime } from '../api/videoLog';
import { adoptChanges, type ListedEntry, type Remembered, unwindClock } from './listChanges';

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

/** What the trigger watches. */
export interface Watch {
	/** See `hashAccount`. */
	account: string;
	projectIds: readonly string[];
	emitExisting: boolean;
	/** Whether the cursor is that of the last poll, and not of an earlier one that n8n had saved. */
	isContinuous: boolean;
	/** When the service answered, by its own clock: milliseconds since 1970. */
	polledAt: number;
}

interface Listed {
	entries: ListedEntry[];
	/** How many others are listed, which are older than the floor. */
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

/** The account as `openService` identifies it, so short that it tells nothing about the key. */
export function hashAccount(account: number): string {
	return String(account % 2 ** 18);
}

/**
 * Selects the new entries of the video log: those whose ID was never listed, whatever their date says,
 * unless they are as old as the entries that are not remembered any more.
 *
 * @param log the whole list of "GET /v1/videos", in any order; empty if it has not changed
 * @returns the new entries, oldest first; the cursor, the same object when nothing changed; and whether no entry
 * was seen before, so that others may have left a list that shows only the newest ones
 * @throws a RequestFailure when new entries cannot be told from forgotten ones, since no date can be read, or when
 * none has a project, and only those of some are wanted
 */
export function selectNewVideos(
	log: readonly unknown[],
	stored: StoredCursor,
	watch: Watch,
): { videos: IDataObject[]; cursor: Cursor; hasGap: boolean } {
	const { account, projectIds, emitExisting, isContinuous, polledAt } = watch;
	const saved = typeof stored === 'string' ? undefined : stored;
	const listed = listEntries(log, saved?.account === account ? saved.floor : -1);
	const count = listed.entries.length + listed.oldCount;
	const changes = (saved?.changes ?? 0) + 1;
	// A service may answer with an empty list for a moment: what was there before is not new afterwards.
	const emptyAccount = { account, floor: polledAt - DAY_MS - 1 };
	const wasEmpty = saved?.emptyAccount?.account === account ? saved.emptyAccount : undefined;
	if (saved && saved.account !== account && count === 0) {
		// Another account, or the same one with a new key: the first list with entries tells.
		const cursor = wasEmpty ? saved : { ...saved, changes, emptyAccount };
		return { videos: [], cursor, hasGap: false };
	}
	// If an entry was seen before, only the key is new. Two services may use the same IDs, so its time counts.
	const wasSeen = ({ identity, time }: ListedEntry) => saved?.videos[hashText(identity)] === time;
	const known = saved?.account === account || listed.entries.some(wasSeen) ? saved : undefined;
	const isEmitting = Boolean(known ?? wasEmpty) || (stored === 'absent' && emitExisting);
	const isEmpty = count === 0 && !isEmitting;
	const baseline = wasEmpty ?? (isEmpty ? emptyAccount : { account, floor: -1 });
	const first: Cursor = { version: 1, changes, ...baseline, projects: projectIds, videos: {} };
	const before = known ? adoptChanges(known, listed.entries) : first;

	const isSame = before.account === account && isSameSet(before.projects, projectIds);
	if (saved === before && isSame && count === 0)
		return { videos: [], cursor: saved, hasGap: false };

	const { unseen, dated, newCount, hasForgotten } = findUnseen(listed, before);
	// When n8n has not saved the last polls, the earlier videos of a project that was added since are
	// unseen too. Only the next videos of such a project are new.
	const isNew = ({ entry }: ListedEntry) =>
		isWatched(entry, projectIds) && (isContinuous || isWatched(entry, before.projects));
	const videos = isEmitting ? sortOldestFirst(unseen.filter(isNew)) : [];
	const hasSeen = Object.keys(before.videos).length > 0;
	const hasGap = hasSeen && count >= MIN_GAP_LIST && newCount === count;
	const floor = Math.max(before.floor, findCutOff(listed));
	if (isEmitting) requireFields(listed, before, { unseen, hasForgotten, projectIds });
	const isUnchanged =
		isSame &&
		unseen.length === 0 &&
		dated.length === 0 &&
		floor === before.floor &&
		hasForgotten === (before.hasForgotten ?? false);
	if (saved === before && isUnchanged) return { videos, cursor: saved, hasGap };
	const after = forgetOldest({ ...before, floor, hasForgotten }, [...dated, ...unseen]);
	const cursor = { ...after, changes, account, projects: projectIds };
	return { videos, cursor, hasGap };
}

/** What a list shows that was not seen before. */
interface Unseen {
	unseen: ListedEntry[];
	/** Those that were seen without a date, and have one now. */
	dated: ListedEntry[];
	/** How often the list shows them. */
	newCount: number;
	/** See `Cursor`. */
	hasForgotten: boolean;
}

function findUnseen({ entries, oldCount }: Listed, before: Cursor): Unseen {
	const seen = new Set(Object.keys(before.videos).map(Number));
	let newCount = 0;
	let hasForgotten = before.hasForgotten === true || oldCount > 0;
	const dated: ListedEntry[] = [];
	const unseen = entries.filter((listed) => {
		const { identity, time } = listed;
		if (isForgotten(time, before)) {
			hasForgotten ||= time > 0;
			return false;
		}
		const hash = hashText(identity);
		const wasAt = before.videos[hash];
		if (wasAt === undefined) newCount += 1;
		if (wasAt === 0 && time > 0) dated.push(listed);
		if (seen.has(hash)) return false;
		seen.add(hash);
		return true;
	});
	return { unseen, dated, newCount, hasForgotten };
}

/** @throws a RequestFailure if new entries cannot be told from old ones, or not whether they are wanted, since a field is missing */
function requireFields(
	{ entries, oldCount }: Listed,
	{ isUndatedForgotten = false }: Cursor,
	{
		unseen,
		hasForgotten,
		projectIds,
	}: Pick<Unseen, 'unseen' | 'hasForgotten'> & Pick<Watch, 'projectIds'>,
): void {
	const isUndated = entries.length > 0 && oldCount === 0 && entries.every(({ time }) => time === 0);
	const isUnsure = hasForgotten && unseen.length > 0;
	if (isUndated && (isUnsure || isUndatedForgotten)) throw createIncomplete('createdAt');
	const isOfNone = ({ entry }: ListedEntry) => toText(entry.projectId) === '';
	const isWanted = projectIds.length > 0 && unseen.length > 0;
	if (isWanted && entries.every(isOfNone)) throw createIncomplete('projectId');
}

/** The entry with the latest date, for a test event. */
export function findNewestVideo(
	log: readonly unknown[],
	projectIds: readonly string[],
): IDataObject | undefined {
	const { entries } = listEntries(log, -1);
	const watched = entries.filter(({ entry }) => isWatched(entry, projectIds));
	return watched.sort((a, b) => b.time - a.time)[0]?.entry;
}

/**
 * The tag to request the log with. Once an hour the log is read in full, so that a tag that fails to
 * change delays new videos and does not lose them; a kept time in the future counts as over.
 */
export function findTag(stored: StoredCursor, account: string, now: number): string | undefined {
	const tag = typeof stored === 'string' ? undefined : stored.tag;
	if (tag?.account !== account) return undefined;
	const ageMs = now - tag.fullReadAt;
	return ageMs >= 0 && ageMs < HOUR_MS && ETAG.test(tag.etag) ? tag.etag : undefined;
}

/** Keeps the tag of a log that was read in full, with the cursor that knows its entries; the same without news. */
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
	const dated = entries.filter(({ time }) => time > 0);
	const oldest = dated.reduce((earliest, { time }) => Math.min(earliest, time), Infinity);
	const isWhole = oldCount > 0 || entries.length < MIN_CUT_OFF || dated.length === 0;
	return isWhole ? -1 : oldest - 1;
}

/**
 * The entries of the log. Those that are older than the floor are only counted: of a long log, these are almost all,
 * and reading their dates would take as long as parsing them. Dates of ISO 8601 sort like text, but for their zones.
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
		entries.push({ entry, identity, time: parseLogTime(createdAt) ?? 0 });
	}
	return { entries: unwindClock(entries), oldCount };
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

/** Keeps the newest entries, with the dates that were added last. Those of one millisecond stay together: only their time tells that they are old. */
function forgetOldest(before: Cursor, added: ListedEntry[]): Cursor {
	const hashes = Object.keys(before.videos);
	const times = hashes.map((hash) => before.videos[hash] ?? 0);
	for (const { identity, time } of added) {
		hashes.push(String(hashText(identity)));
		times.push(time);
	}
	const sorted = Float64Array.from(times).sort();
	const undatedCount = sorted.filter((time) => time === 0).length;
	const dated = sorted.subarray(undatedCount);
	const floor = Math.max(before.floor, dated.at(-MAX_SEEN - 1) ?? -1);
	const isUndatedForgotten = before.isUndatedForgotten === true || undatedCount > MAX_UNDATED;
	const after = { ...before, floor, isUndatedForgotten, videos: {} as Cursor['videos'] };
	hashes.forEach((hash, index) => {
		const time = times[index] ?? 0;
		if (!isForgotten(time, after)) after.videos[hash] = time;
		else if (time > 0) after.hasForgotten = true;
	});
	return after;
}
