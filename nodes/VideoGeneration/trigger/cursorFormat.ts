import type { IDataObject } from 'n8n-workflow';
import { identifyEntry, MAX_LOG_TIME } from '../api/videoLog';
import { hashText } from '../api/hash';
import { parseEtag, toText } from '../api/response';

/**
 * The state of the trigger between two polls. It is JSON, and n8n copies it into the record of
 * every execution, so it is kept small: 19 characters for each entry, 187 KB at most.
 *
 * At any time, an entry that was ever listed is among `videos`, or its time is at or below `floor`. So
 * no entry is new twice, and an entry above the floor is never overlooked.
 */
export interface Cursor {
	version: 1;
	/** See `hashAccount`. */
	account: string;
	/** See `hashProjects`. */
	projects: number[];
	/** Milliseconds since 1970. Entries at or before this time are not new; 0 while all are remembered. */
	floor: number;
	/** Whether entries without a readable date were forgotten. From then on, no such entry counts as new. */
	isUndatedForgotten: boolean;
	/** The remembered entries, see `formatRecords`. */
	videos: string;
	/** The tag of the last log that was read in full, where the service sends tags. */
	tag?: Tag | undefined;
}

/** A log with this tag has no entry that its cursor does not know. */
interface Tag {
	etag: string;
	/** Milliseconds since 1970, by this machine's clock. */
	fullReadAt: number;
}

/** The place of a cursor may be empty before the first poll, or hold something else. */
export type StoredCursor = Cursor | 'absent' | 'damaged';

/** The time of an entry without a readable date. */
export const UNDATED = 0;

/**
 * Parses a cursor from JSON, as a whole or not at all: with a part of it, videos that were emitted
 * before would be new again.
 */
export function parseCursor(value: unknown): StoredCursor {
	if (value === undefined) return 'absent';
	if (typeof value !== 'object' || value === null) return 'damaged';
	const { version, account, projects, floor, isUndatedForgotten, videos, tag } =
		value as Partial<Cursor>;
	const isSound =
		version === 1 &&
		typeof account === 'string' &&
		Array.isArray(projects) &&
		projects.every((project) => typeof project === 'number') &&
		isRecords(videos) &&
		typeof isUndatedForgotten === 'boolean' &&
		Number.isInteger(floor) &&
		floor !== undefined &&
		floor >= 0 &&
		floor < MAX_LOG_TIME;
	if (!isSound) return 'damaged';
	return { version, account, projects, floor, isUndatedForgotten, videos, tag: parseTag(tag) };
}

/** A tag saves time only, so a damaged one is dropped. */
function parseTag(value: unknown): Tag | undefined {
	if (typeof value !== 'object' || value === null) return undefined;
	const { etag, fullReadAt } = value as Partial<Tag>;
	const isSound = parseEtag(etag) === etag && typeof fullReadAt === 'number';
	return isSound && etag !== undefined ? { etag, fullReadAt } : undefined;
}

/** Enough to notice another account, too few to tell anything about the key. */
const ACCOUNT_BITS = 18;

/**
 * A hash of the service's address and the account's key. It changes with either of them, as they are
 * sent. A new key of the same account changes it as well.
 *
 * @param account as `resolveService` identifies it
 */
export function hashAccount(account: string): string {
	return String(hashText(account) % 2 ** ACCOUNT_BITS);
}

/** The watched projects as hashes of their IDs: the same in any order, and empty for all projects. */
export function hashProjects(projectIds: readonly string[]): number[] {
	return [...new Set(projectIds.map(hashText))].sort((a, b) => a - b);
}

/** @param projects as `hashProjects` returns them */
export function includesProjectOf({ projectId }: IDataObject, projects: number[]): boolean {
	return projects.length === 0 || projects.includes(hashText(toText(projectId)));
}

/** The identity of an entry as a hash, see `identifyEntry`. */
export function hashEntry(entry: IDataObject): number | undefined {
	const identity = identifyEntry(entry);
	return identity === undefined ? undefined : hashText(identity);
}

/** An entry that was listed. */
export interface Seen {
	/** See `hashEntry`. */
	hash: number;
	/** Whole milliseconds since 1970, below MAX_LOG_TIME, or UNDATED. */
	time: number;
}

/** A hash takes 8 bytes, and a time 6. */
const RECORD_BYTES = 14;

/** Entries as a list of records in base64. */
export function formatRecords(seen: readonly Seen[]): string {
	const bytes = Buffer.alloc(seen.length * RECORD_BYTES);
	seen.forEach(({ hash, time }, i) => {
		bytes.writeDoubleBE(hash, i * RECORD_BYTES);
		bytes.writeUIntBE(time, i * RECORD_BYTES + 8, 6);
	});
	return bytes.toString('base64');
}

export function parseRecords(videos: string): Seen[] {
	const bytes = Buffer.from(videos, 'base64');
	return Array.from({ length: bytes.length / RECORD_BYTES }, (_, i) => ({
		hash: bytes.readDoubleBE(i * RECORD_BYTES),
		time: bytes.readUIntBE(i * RECORD_BYTES + 8, 6),
	}));
}

/** Whether a value can come from `formatRecords`. Node.js would decode other texts, too, without an error. */
function isRecords(videos: unknown): videos is string {
	if (typeof videos !== 'string') return false;
	const bytes = Buffer.from(videos, 'base64');
	return bytes.length % RECORD_BYTES === 0 && bytes.toString('base64') === videos;
}
