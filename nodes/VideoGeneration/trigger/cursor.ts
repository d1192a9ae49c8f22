import type { IDataObject } from 'n8n-workflow';
import { MAX_LOG_TIME, parseLogTime } from '../api/logTime';
import { inParts } from '../api/pause';
import { isObject, toText } from '../api/response';
import type { Cursor, StoredCursor } from './cursorFormat';
import {
	formatRecord,
	hashEntry,
	hashProjects,
	includesProjectOf,
	parseHashes,
	parseTimes,
	RECORD_LENGTH,
	UNDATED,
} from './cursorFormat';

/** This many of the newest entries are always remembered. */
const MIN_REMEMBERED = 5_000;

/** Above this number, all but the newest entries are forgotten. It is larger, so that this happens rarely. */
const MAX_REMEMBERED = 10_000;

/** This many of the entries without a readable date are remembered when some must be forgotten. */
const MAX_UNDATED = 2_500;

/** The account and the projects that the trigger watches. */
export interface Watch {
	/** See hashAccount. */
	account: string;
	/** Empty for all projects. */
	projectIds: readonly string[];
	/** Whether the first poll emits the videos that it finds. */
	emitExisting: boolean;
	/** Whether the cursor is that of the last poll, and not of an earlier one that n8n had saved. */
	isContinuous: boolean;
}

export interface Selection {
	/** The new entries, oldest first; those without a readable date come last. */
	videos: IDataObject[];
	/** The same object when nothing changed. */
	cursor: Cursor;
}

/**
 * Selects the new entries of the video log. An entry whose ID was never listed is new, whatever its
 * date says, unless it lies at or below the cursor's floor.
 *
 * @param log the whole list of "GET /v1/videos", in any order
 */
export function selectNewVideos(
	log: readonly unknown[],
	stored: StoredCursor,
	watch: Watch,
): Selection {
	if (stored === 'absent') return startCursor(log, watch, watch.emitExisting);
	if (stored === 'damaged' || isOtherAccount(log, stored, watch)) {
		return startCursor(log, watch, false);
	}
	const unseen = findUnseen(log, stored);
	// When n8n has not saved the last polls, the earlier videos of a project that was added since are
	// unseen too. Only the next videos of such a project are new.
	const wasWatched = (entry: IDataObject) =>
		watch.isContinuous || includesProjectOf(entry, stored.projects);
	return {
		videos: sortWatched(unseen, watch).filter(wasWatched),
		cursor: remember(unseen, stored, watch),
	};
}

/**
 * Leaves out the entries that the cursor has forgotten, so that the rest of a long log may be new. A
 * later cursor of the account has forgotten them too.
 */
export async function leaveOutForgotten(
	log: readonly unknown[],
	stored: StoredCursor,
): Promise<readonly unknown[]> {
	if (typeof stored === 'string' || stored.floor === 0) return log;
	const isOld = createAgeCheck(stored.floor);
	const rest: unknown[] = [];
	for await (const part of inParts(log)) {
		for (const entry of part) if (isObject(entry) && !isOld(entry.createdAt)) rest.push(entry);
	}
	return rest;
}

/** Whether a cursor is later than another one of the account: it has forgotten everything that the other has. */
export function isLater(cursor: StoredCursor, earlier: StoredCursor, account: string): boolean {
	if (typeof cursor === 'string' || typeof earlier === 'string') return false;
	return cursor.account === account && cursor.floor >= earlier.floor;
}

/**
 * Whether a date is below the floor, without parsing it: dates in UTC such as
 * `2026-01-15T12:00:00.000Z` sort like text. Parsing the dates of a long list would take a sixth of
 * the time of its request. Dates within the floor's second or later are not decided here.
 */
function createAgeCheck(floor: number): (createdAt: unknown) => boolean {
	const floorSecond = new Date(floor).toISOString().slice(0, 19);
	return (createdAt) =>
		typeof createdAt === 'string' &&
		createdAt < floorSecond &&
		createdAt.startsWith('2') &&
		createdAt.charAt(10) === 'T' &&
		createdAt.endsWith('Z');
}

const MAX_TAG_AGE_MS = 60 * 60 * 1000;

/**
 * The tag to request the log with. A full read is due every hour, so that a tag that fails to change
 * delays new videos and does not lose them; a kept time in the future counts as over.
 *
 * @param now milliseconds since 1970
 * @returns undefined when the log is to be read in full
 */
export function findTag(stored: StoredCursor, account: string, now: number): string | undefined {
	if (typeof stored === 'string' || stored.account !== account) return undefined;
	return isFullReadDue(stored, now) ? undefined : stored.tag?.etag;
}

/**
 * Keeps the tag of a log that was read in full, with the cursor that knows all of its entries.
 *
 * @returns the same object when nothing changed
 */
export function keepTag(cursor: Cursor, etag: string | undefined, now: number): Cursor {
	const isKept = etag === cursor.tag?.etag && (etag === undefined || !isFullReadDue(cursor, now));
	if (isKept) return cursor;
	return { ...cursor, tag: etag === undefined ? undefined : { etag, fullReadAt: now } };
}

function isFullReadDue({ tag }: Cursor, now: number): boolean {
	const ageMs = now - (tag?.fullReadAt ?? -Infinity);
	return !(ageMs >= 0 && ageMs < MAX_TAG_AGE_MS);
}

/** The entry with the latest date, for a test event. One without a readable date comes last. */
export function findNewestVideo(
	log: readonly unknown[],
	projectIds: readonly string[],
): IDataObject | undefined {
	let newest: IDataObject | undefined;
	let newestTime = -Infinity;
	for (const entry of log) {
		if (!isObject(entry) || hashEntry(entry) === undefined) continue;
		const time = getTime(entry);
		if (time <= newestTime || !isWatched(entry, projectIds)) continue;
		newest = entry;
		newestTime = time;
	}
	return newest;
}

/**
 * The first cursor remembers all entries, or the newest ones of a long list. They are emitted only where
 * the user wants it.
 */
function startCursor(log: readonly unknown[], watch: Watch, isEmitting: boolean): Selection {
	const start: Cursor = {
		version: 1,
		account: watch.account,
		projects: hashProjects(watch.projectIds),
		floor: 0,
		isUndatedForgotten: false,
		videos: '',
	};
	const times = isEmitting ? new Float64Array() : Float64Array.from(log, getTime).sort();
	let unseen: UnseenEntry[];
	// More than are remembered, because the list may repeat some.
	let count = MAX_REMEMBERED;
	do {
		count *= 2;
		start.floor = times.at(-count - 1) ?? 0;
		unseen = findUnseen(log, start);
	} while (start.floor > 0 && unseen.length <= MAX_REMEMBERED);
	return {
		videos: isEmitting ? sortWatched(unseen, watch) : [],
		cursor: remember(unseen, start, watch),
	};
}

/**
 * Whether the key or the address has changed, and no listed entry was ever seen. With a new key of the
 * same account the trigger continues. An empty list tells nothing.
 */
function isOtherAccount(log: readonly unknown[], cursor: Cursor, { account }: Watch): boolean {
	if (cursor.account === account || log.length === 0) return false;
	const known = parseHashes(cursor.videos);
	return !log.some((entry) => isObject(entry) && known.has(hashEntry(entry) ?? ''));
}

interface UnseenEntry {
	entry: IDataObject;
	hash: string;
	/** Milliseconds since 1970, or UNDATED. */
	time: number;
}

/** The entries that a cursor neither remembers nor has forgotten, each ID once. */
function findUnseen(
	log: readonly unknown[],
	{ videos, floor, isUndatedForgotten }: Cursor,
): UnseenEntry[] {
	if (log.length === 0) return [];
	const known = parseHashes(videos);
	const unseen: UnseenEntry[] = [];
	for (const entry of log) {
		if (!isObject(entry)) continue;
		const hash = hashEntry(entry);
		if (hash === undefined || known.has(hash)) continue;
		const time = getTime(entry);
		if (time === UNDATED ? isUndatedForgotten : time <= floor) continue;
		known.add(hash);
		unseen.push({ entry, hash, time });
	}
	return unseen;
}

function getTime(entry: unknown): number {
	return (isObject(entry) ? parseLogTime(entry.createdAt) : undefined) ?? UNDATED;
}

function isWatched({ projectId }: IDataObject, projectIds: readonly string[]): boolean {
	return projectIds.length === 0 || projectIds.includes(toText(projectId));
}

function sortWatched(unseen: UnseenEntry[], { projectIds }: Watch): IDataObject[] {
	const rank = ({ time }: UnseenEntry) => (time === UNDATED ? MAX_LOG_TIME : time);
	return unseen
		.filter(({ entry }) => isWatched(entry, projectIds))
		.sort((a, b) => rank(a) - rank(b))
		.map(({ entry }) => entry);
}

/** Remembers the entries of all projects, so that they are not new when their project is watched later. */
function remember(unseen: UnseenEntry[], before: Cursor, { account, projectIds }: Watch): Cursor {
	const projects = hashProjects(projectIds);
	const isSame = account === before.account && projects === before.projects;
	if (isSame && unseen.length === 0) return before;

	const records = unseen.map(({ hash, time }) => formatRecord(hash, time));
	const cursor = { ...before, account, projects, videos: before.videos + records.join('') };
	return cursor.videos.length > MAX_REMEMBERED * RECORD_LENGTH ? forgetOldest(cursor) : cursor;
}

/** Forgets all but the newest entries, and raises the floor above the forgotten ones: they stay old. */
function forgetOldest(cursor: Cursor): Cursor {
	const times = parseTimes(cursor.videos);
	const floor = Math.max(cursor.floor, findFloor(times));
	// The undated entries that were listed first are forgotten first.
	let excess = times.filter((time) => time === UNDATED).length - MAX_UNDATED;
	const isUndatedForgotten = cursor.isUndatedForgotten || excess > 0;
	let videos = '';
	times.forEach((time, i) => {
		const isKept = time === UNDATED ? excess-- <= 0 : time > floor;
		if (isKept) videos += cursor.videos.slice(i * RECORD_LENGTH, (i + 1) * RECORD_LENGTH);
	});
	return { ...cursor, floor, isUndatedForgotten, videos };
}

/**
 * The time of the newest entry that is forgotten. At most MIN_REMEMBERED entries are later: entries of
 * the same millisecond stay together, since only their time tells that they are old.
 *
 * @returns 0 when there are no more entries than that
 */
function findFloor(times: Float64Array): number {
	return times.toSorted().at(-MIN_REMEMBERED - 1) ?? 0;
}
