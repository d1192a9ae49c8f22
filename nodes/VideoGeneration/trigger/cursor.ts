import type { IDataObject } from 'n8n-workflow';
import { MAX_LOG_TIME, parseLogTime } from '../api/videoLog';
import { isObject, toText } from '../api/response';
import type { Cursor, Seen, StoredCursor } from './cursorFormat';
import {
	formatRecords,
	hashEntry,
	hashProjects,
	includesProjectOf,
	parseRecords,
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
	/** The new entries, in any order: `sortOldestFirst` can wait until the cursor is saved. */
	videos: ListedEntry[];
	/** The same object when nothing changed. */
	cursor: Cursor;
}

export interface ListedEntry extends Seen {
	entry: IDataObject;
}

/**
 * The entries of the log that a cursor neither remembers nor has forgotten, or all of them; each ID once.
 *
 * @param known the hashes of the entries that are left out, to which those of the result are added
 */
export function listUnseen(
	log: readonly unknown[],
	{ videos = '', floor = 0, isUndatedForgotten = false }: Partial<Cursor> = {},
	known = listHashes(videos),
): ListedEntry[] {
	const isOld = createAgeCheck(floor);
	const unseen: ListedEntry[] = [];
	for (const entry of log) {
		if (!isObject(entry) || isOld(entry.createdAt)) continue;
		const hash = hashEntry(entry);
		if (hash === undefined || known.has(hash)) continue;
		const time = getTime(entry);
		if (time === UNDATED ? isUndatedForgotten : time <= floor) continue;
		known.add(hash);
		unseen.push({ entry, hash, time });
	}
	return unseen;
}

/**
 * Selects the new entries of the video log. An entry whose ID was never listed is new, whatever its
 * date says, unless it lies at or below the cursor's floor.
 *
 * @param log the whole list of "GET /v1/videos", in any order
 * @param all all entries as `listUnseen` returns them, for a first cursor: that takes long with a long log
 */
export function selectNewVideos(
	log: readonly unknown[],
	stored: StoredCursor,
	watch: Watch,
	all?: ListedEntry[],
): Selection {
	if (typeof stored === 'string' || isOtherAccount(log, stored, watch)) {
		const isEmitting = stored === 'absent' && watch.emitExisting;
		return startCursor(all ?? listUnseen(log), watch, isEmitting);
	}
	const unseen = listUnseen(log, stored);
	// When n8n has not saved the last polls, the earlier videos of a project that was added since are
	// unseen too. Only the next videos of such a project are new.
	const wasWatched = ({ entry }: ListedEntry) =>
		watch.isContinuous || includesProjectOf(entry, stored.projects);
	return {
		videos: listWatched(unseen, watch).filter(wasWatched),
		cursor: remember(unseen, stored, watch),
	};
}

/** Sorts new entries for the workflow; those without a readable date come last. */
export function sortOldestFirst(videos: readonly ListedEntry[]): IDataObject[] {
	const getPlace = ({ time }: ListedEntry) => (time === UNDATED ? MAX_LOG_TIME : time);
	return videos.toSorted((a, b) => getPlace(a) - getPlace(b)).map(({ entry }) => entry);
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
function startCursor(unseen: ListedEntry[], watch: Watch, isEmitting: boolean): Selection {
	const start: Cursor = {
		version: 1,
		account: watch.account,
		projects: hashProjects(watch.projectIds),
		floor: 0,
		isUndatedForgotten: false,
		videos: '',
	};
	return {
		videos: isEmitting ? listWatched(unseen, watch) : [],
		cursor: remember(unseen, start, watch),
	};
}

/**
 * Whether the key or the address has changed, and no listed entry was ever seen. With a new key of the
 * same account the trigger continues. An empty list tells nothing. Two services may use the same IDs, so
 * an entry counts with its time.
 */
function isOtherAccount(log: readonly unknown[], cursor: Cursor, { account }: Watch): boolean {
	if (cursor.account === account || log.length === 0) return false;
	const format = ({ hash, time }: Partial<Seen>) => `${hash} ${time}`;
	const known = new Set(parseRecords(cursor.videos).map(format));
	return !log.some(
		(entry) =>
			isObject(entry) && known.has(format({ hash: hashEntry(entry), time: getTime(entry) })),
	);
}

/** The hashes of all remembered entries. */
function listHashes(videos: string): Set<number | undefined> {
	return new Set(parseRecords(videos).map(({ hash }) => hash));
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** A date whose offset from UTC is less than a day, such as `2026-01-15T12:00:00.000Z`. */
const SORTABLE_DATE =
	/^2\d\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-][01]\d:?[0-5]\d)$/;

/**
 * Whether a date is below the floor, without parsing it: such dates sort like text within a day. Parsing
 * the dates of a long list would take a sixth of the time of its request. Later dates, and those of
 * another form, are not decided here.
 */
function createAgeCheck(floor: number): (createdAt: unknown) => boolean {
	const dayBefore = new Date(floor - DAY_MS).toISOString();
	return (createdAt) =>
		typeof createdAt === 'string' && createdAt < dayBefore && SORTABLE_DATE.test(createdAt);
}

function getTime(entry: unknown): number {
	return (isObject(entry) ? parseLogTime(entry.createdAt) : undefined) ?? UNDATED;
}

function isWatched({ projectId }: IDataObject, projectIds: readonly string[]): boolean {
	return projectIds.length === 0 || projectIds.includes(toText(projectId));
}

function listWatched(unseen: ListedEntry[], { projectIds }: Watch): ListedEntry[] {
	return unseen.filter(({ entry }) => isWatched(entry, projectIds));
}

/** Remembers the entries of all projects, so that they are not new when their project is watched later. */
function remember(unseen: ListedEntry[], before: Cursor, { account, projectIds }: Watch): Cursor {
	const projects = hashProjects(projectIds);
	const isSame = account === before.account && projects.join() === before.projects.join();
	if (isSame && unseen.length === 0) return before;

	const cursor = { ...before, account, projects };
	const seen = [...parseRecords(before.videos), ...unseen];
	return seen.length > MAX_REMEMBERED
		? { ...cursor, ...forgetOldest(seen, before) }
		: { ...cursor, videos: formatRecords(seen) };
}

/** Forgets all but the newest entries, and raises the floor above the forgotten ones: they stay old. */
function forgetOldest(
	seen: Seen[],
	before: Cursor,
): Pick<Cursor, 'floor' | 'isUndatedForgotten' | 'videos'> {
	const floor = Math.max(before.floor, findFloor(new Float64Array(seen.map(({ time }) => time))));
	// The undated entries that were listed first are forgotten first.
	let excess = seen.filter(({ time }) => time === UNDATED).length - MAX_UNDATED;
	const isUndatedForgotten = before.isUndatedForgotten || excess > 0;
	const kept = seen.filter(({ time }) => (time === UNDATED ? excess-- <= 0 : time > floor));
	return { floor, isUndatedForgotten, videos: formatRecords(kept) };
}

/**
 * The time of the newest entry that is forgotten. At most MIN_REMEMBERED entries are later: entries of
 * the same millisecond stay together, since only their time tells that they are old.
 *
 * @returns 0 when there are no more entries than that
 */
function findFloor(times: Float64Array): number {
	return times.sort().at(-MIN_REMEMBERED - 1) ?? 0;
}
