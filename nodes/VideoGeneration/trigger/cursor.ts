import type { IDataObject } from 'n8n-workflow';
import { hashText } from '../api/hashText';
import { createIncomplete, isObject, toText } from '../api/response';
import {
	createIsAtOrBefore,
	identifyEntry,
	isOfProjects,
	isTime,
	parseLogTime,
} from '../api/videoLog';
import { adoptChanges, isRemembered, type ListedEntry, type Remembered } from './listChanges';

/** This many of the newest entries are remembered, and of those without a readable date. */
const MAX_SEEN = 5_000;
const MAX_UNDATED = 1_000;

/** Of a list of this size, an entry was seen before, unless others have left it meanwhile. */
const MIN_GAP_LIST = 10;

/** A value of the `ETag` header (RFC 9110, section 8.8.3) that can be sent back. */
const ETAG = /^[\x21-\x7e]{1,200}$/;

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/**
 * The state of the trigger between two polls, as JSON. Every entry that was ever listed is in `videos`, or its time is at
 * or below `floor`. The time of an entry without a readable date is 0, which is old only once such entries were forgotten.
 */
export interface Cursor extends Omit<Remembered, 'videos'> {
	version: 1;
	/** The times of the remembered entries, by the hashes of their IDs: 33 bytes each, 198 KB at most. */
	videos: Record<string, number>;
	/** How often it has changed: of two copies, the one with the higher number is the later one. */
	changes: number;
	account: string;
	/** An account that was polled later, and had no videos when it was first polled. */
	emptyAccount?: Pick<Cursor, 'account' | 'floor'> | undefined;
	/** The watched projects; empty for all. */
	projects: readonly string[];
	/** Set once entries without a readable date were forgotten: tells whether others are listed now. */
	undated?: number | undefined;
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
	/** How many entries of the list were left out, see `createIsOld`. */
	oldCount?: number;
}

/** A cursor while a poll compares it with the list. */
type State = Omit<Cursor, 'videos'> & Remembered;

type Listed = ReturnType<typeof listEntries>;

/**
 * Reads a saved cursor as far as it is sound: the same object, or a copy without its damaged parts. Without what it must
 * have, old videos would be new: it is `damaged` as a whole. The times are read with the next full list alone.
 */
export function parseCursor(value: unknown): StoredCursor {
	if (value === undefined) return 'absent';
	if (!isObject(value)) return 'damaged';
	const { version, changes, account, projects, floor, videos, emptyAccount, tag } = value;
	const isCursor = version === 1 && isText(account) && Array.isArray(projects) && isObject(videos);
	if (!isCursor || !isTime(floor) || !Number.isSafeInteger(changes)) return 'damaged';
	const isEmptySound = isSound(emptyAccount, ['account'], 'floor');
	const isTagSound = isSound(tag, ['account', 'etag'], 'fullReadAt');
	const cursor = value as unknown as Cursor;
	if (projects.every(isText) && isEmptySound && isTagSound) return cursor;
	return {
		...cursor,
		projects: projects.filter(isText),
		emptyAccount: isEmptySound ? cursor.emptyAccount : undefined,
		tag: isTagSound ? cursor.tag : undefined,
	};
}

/** Whether a part is missing, or has these texts and this time. */
function isSound(part: unknown, texts: readonly string[], time: string): boolean {
	if (!isObject(part)) return part === undefined;
	return texts.every((name) => isText(part[name])) && isTime(part[time]);
}

const isText = (value: unknown) => typeof value === 'string';

/**
 * Selects the new entries of the video log: those whose ID was never listed, whatever their date says,
 * unless they are as old as the entries that are not remembered any more.
 *
 * @param log the list of "GET /v1/videos" without what `createIsOld` leaves out, in any order; empty if it has not changed
 * @returns the new entries, oldest first; the cursor, the same object when nothing changed; and whether others may have
 * left the list, entries without a readable date may be missed, and times of the cursor were damaged
 * @throws a RequestFailure, see `requireFields`
 */
export function selectNewVideos(log: readonly IDataObject[], stored: StoredCursor, watch: Watch) {
	const { account, projectIds, emitExisting, polledAt, oldCount = 0 } = watch;
	const saved = typeof stored === 'string' ? undefined : stored;
	const isOwn = saved?.account === account;
	const isSame = isOwn && JSON.stringify(saved.projects) === JSON.stringify(projectIds);
	const listed = listEntries(log, oldCount);
	const isEmpty = listed.entries.length + oldCount === 0;
	const changes = (saved?.changes ?? 0) + 1;
	// A service may answer with an empty list for a moment: what was there before is not new afterwards.
	const emptyAccount = { account, floor: polledAt - DAY_MS - 1 };
	const wasEmpty = saved?.emptyAccount?.account === account ? saved.emptyAccount : undefined;
	if (saved && isEmpty) {
		// Another account, or the same one with a new key: the first list with entries tells.
		const change = isOwn ? { projects: projectIds } : { emptyAccount };
		const cursor = isSame || wasEmpty ? saved : { ...saved, changes, ...change };
		return { videos: [], cursor, hasGap: false, hasUndated: false, isDamaged: false };
	}
	// Each access to what n8n keeps takes long. A damaged time is none.
	const kept: Record<string, unknown> = saved?.videos ?? {};
	const times = new Map<string, number>();
	let isDamaged = false;
	for (const hash of Object.keys(kept)) {
		const time = kept[hash];
		isDamaged ||= !isTime(time);
		times.set(hash, isTime(time) ? time : 0);
	}
	const own: State | undefined = saved && { ...saved, videos: times };
	// If an entry was seen before, only the key is new. Two services may use the same IDs, so its time counts.
	const isSeen = own && listed.entries.some((each) => isRemembered(own, each));
	const known = isOwn || isSeen ? own : undefined;
	const isEmitting = Boolean(known ?? wasEmpty) || (stored === 'absent' && emitExisting);
	const baseline = wasEmpty ?? (isEmpty && !isEmitting ? emptyAccount : { account, floor: -1 });
	const none: State = { version: 1, changes, ...baseline, projects: projectIds, videos: new Map() };
	const before = known ? leaveOutOlder(known, adoptChanges(known, listed.entries), listed) : none;
	const { changed, unseen, hasForgotten, hasGap } = findNews(listed, before);
	const hasUnseen = isEmitting && unseen.length > 0;
	const needsDates = isEmitting && (before.undated !== undefined || (hasUnseen && hasForgotten));
	requireFields(listed, needsDates, hasUnseen && projectIds.length > 0);
	// The earlier videos of a project that was added since may be unseen, but are not new.
	const isWanted = (each: ListedEntry) =>
		isOfProjects(each.entry, projectIds) &&
		(isOfNone(each) || isOfProjects(each.entry, before.projects));
	const videos = isEmitting ? sortOldestFirst(unseen.filter(isWanted)) : [];
	const undated = before.undated === undefined ? undefined : listed.undated;
	const isKept = before.hasForgotten === hasForgotten && before.undated === undated;
	const isUnchanged = isSame && own === before && isKept && !isDamaged && changed.length === 0;
	const after = { ...before, hasForgotten, undated, changes, account, projects: projectIds };
	const cursor = isUnchanged ? saved : remember(after, changed, listed, polledAt);
	const hasUndated = listed.undated > 0 && cursor.undated !== before.undated;
	return { videos, cursor, hasGap, hasUndated, isDamaged };
}

/**
 * While all is remembered, entries that are older than that have moved up into the list if others have left it, and if
 * there are several of them, the list has become longer: they are not new.
 */
function leaveOutOlder(before: State, adopted: State, { entries }: Listed): State {
	const { floor, videos } = adopted;
	if (floor >= 0 && adopted === before) return before;
	const oldest = Math.min(...[...videos.values()].filter((time) => time > 0));
	const older = entries.filter(({ hash, time }) => time > 0 && time < oldest && !videos.has(hash));
	const listed = new Set(entries.map(({ hash }) => hash));
	const left = [...before.videos.keys()].filter((hash) => !listed.has(hash));
	// What is known no more would come back into the list with another ID. Another entry may have its old one.
	const isRenamed = videos.size < before.videos.size || left.some((hash) => !videos.has(hash));
	const isLonger = new Set(older.map(({ hash }) => hash)).size > (left.length > 0 ? 0 : 1);
	const isRaised = isRenamed || (floor < 0 && isLonger);
	return isRaised && oldest < Infinity ? { ...adopted, floor: oldest - 1 } : adopted;
}

/** What a list shows that was not seen before, and what also has another date now: in one look, for lists are long. */
function findNews({ entries, oldCount }: Listed, before: State) {
	const unseen = new Map<string, ListedEntry>();
	const changed: ListedEntry[] = [];
	let hasForgotten = before.hasForgotten === true || oldCount > 0;
	let hasGap = entries.length >= MIN_GAP_LIST && before.videos.size > 0 && oldCount === 0;
	for (const each of entries) {
		const known = before.videos.get(each.hash);
		const isOld = isForgotten(each.time, before);
		if (known === undefined && !isOld) unseen.set(each.hash, each);
		else hasGap = false;
		if (isOld) hasForgotten ||= each.time > 0;
		else if (known === undefined || (each.time > 0 && known !== each.time)) changed.push(each);
	}
	return { unseen: [...unseen.values()], changed, hasForgotten, hasGap };
}

/** @throws a RequestFailure if a field is missing that tells whether entries are new, or wanted */
function requireFields(listed: Listed, needsDates: boolean, needsProjects: boolean): void {
	if (needsDates && listed.isUndated) throw createIncomplete('createdAt');
	if (needsProjects && listed.entries.every(isOfNone)) throw createIncomplete('projectId');
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

function isForgotten(time: number, { floor, undated }: Pick<Cursor, 'floor' | 'undated'>): boolean {
	return time === 0 ? undated !== undefined : time <= floor;
}

/** Tells by its `createdAt` whether an entry is older than what is remembered, of almost all that are. */
export function createIsOld(stored: StoredCursor, account: string) {
	const isOwn = typeof stored !== 'string' && stored.account === account;
	// Dates that move to another zone, with the floor, differ by less than a day.
	return createIsAtOrBefore(isOwn ? stored.floor - DAY_MS : -1);
}

function listEntries(log: readonly IDataObject[], oldCount: number) {
	const entries: ListedEntry[] = [];
	// Changes with the entries that have no readable date.
	let undated = 0;
	for (const entry of log) {
		const identity = identifyEntry(entry);
		if (identity === undefined) continue;
		const hash = hashText(identity);
		const time = parseLogTime(entry.createdAt) ?? 0;
		if (time === 0) undated += hash % 2 ** 32;
		entries.push({ entry, hash: String(hash), time });
	}
	const isUndated = oldCount === 0 && entries.every(({ time }) => time === 0);
	return { entries, oldCount, undated, isUndated };
}

const isOfNone = ({ entry }: ListedEntry) => toText(entry.projectId) === '';

/** Those without a readable date come last. */
function sortOldestFirst(videos: ListedEntry[]): IDataObject[] {
	const getPlace = ({ time }: ListedEntry) => time || Number.MAX_SAFE_INTEGER;
	return videos.sort((a, b) => getPlace(a) - getPlace(b)).map(({ entry }) => entry);
}

/** Adds entries, and keeps the newest. Those of one millisecond stay together: only their time tells that they are old. */
function remember(before: State, added: ListedEntry[], list: Listed, polledAt: number): Cursor {
	// No copy: it would take as long as all the rest.
	for (const { hash, time } of added) before.videos.set(hash, time);
	const times = Float64Array.from(before.videos.values()).sort();
	const dated = times.subarray(times.findLastIndex((time) => time <= 0) + 1);
	const isFull = times.length - dated.length > MAX_UNDATED;
	// Those that are forgotten may be dated again later, and were there by now.
	const isLost = isFull && list.isUndated;
	const floor = Math.max(before.floor, isLost ? polledAt - 1 : (dated.at(-MAX_SEEN - 1) ?? -1));
	const after = { ...before, floor, ...(isFull && { undated: list.undated }) };
	// Without a prototype, Node.js expects many names.
	const videos = Object.create(null) as Cursor['videos'];
	for (const [hash, time] of before.videos) {
		if (isForgotten(time, after)) after.hasForgotten = true;
		else videos[hash] = time;
	}
	return { ...after, videos };
}
