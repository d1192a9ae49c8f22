import type { IDataObject } from 'n8n-workflow';
import { getAccountKey } from '../../../credentials/connection';
import { MAX_LOG_TIME } from '../api/logTime';
import { HASH_LENGTH, hashText } from '../api/hash';
import { parseEtag, toText } from '../api/response';

/**
 * The state of the trigger between two polls. It is JSON, and n8n copies it into the record of
 * every execution, so it is kept small: 18 characters for each entry, 180 KB at most.
 *
 * At any time, an entry that was ever listed is among `videos`, or its time is at or below `floor`. So
 * no entry is new twice, and an entry above the floor is never overlooked.
 */
export interface Cursor {
	version: 1;
	/** A hash of the account's key and the service's address. */
	account: string;
	/** The watched projects as hashes of their IDs; empty for all. */
	projects: string;
	/** Milliseconds since 1970. Entries at or before this time are not new; 0 while all are remembered. */
	floor: number;
	/** Whether entries without a readable date were forgotten. From then on, no such entry counts as new. */
	isUndatedForgotten: boolean;
	/** The remembered entries, each as the hash of its ID (11 characters) and its time (7). */
	videos: string;
	/** The tag of the last log that was read in full, where the service sends tags. */
	tag?: Tag | undefined;
}

/** A log with this tag has no entry that its cursor does not know. */
export interface Tag {
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
		isPacked(projects, HASH_LENGTH) &&
		isPacked(videos, RECORD_LENGTH) &&
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

/** Whether a text consists of parts of one length, in the characters that the encodings below use. */
function isPacked(text: unknown, partLength: number): text is string {
	return typeof text === 'string' && text.length % partLength === 0 && /^[\w-]*$/.test(text);
}

/** 18 bits: enough to notice another account, too few to tell anything about the key. */
const ACCOUNT_LENGTH = 3;

/**
 * Changes with the key or the service's address, as they are sent. A new key of the same account changes
 * it as well.
 *
 * @throws an Error with a sentence for the user when "Base URL" is not an address
 */
export function hashAccount(credentials: Record<string, unknown>): string {
	return hashText(getAccountKey(credentials)).slice(0, ACCOUNT_LENGTH);
}

/** The watched projects as a cursor holds them: the same in any order, and empty for all projects. */
export function hashProjects(projectIds: readonly string[]): string {
	return [...new Set(projectIds.map(hashText))].sort().join('');
}

/** @param projects as `hashProjects` returns them */
export function includesProjectOf({ projectId }: IDataObject, projects: string): boolean {
	const hash = hashText(toText(projectId));
	for (let at = 0; at < projects.length; at += HASH_LENGTH) {
		if (projects.startsWith(hash, at)) return true;
	}
	return projects === '';
}

/**
 * Identifies an entry of the video log by its ID. The specification promises one ("Video log"). An
 * entry without it is identified by its address, project and date; the address counts without its
 * query, in which services put signatures that change.
 *
 * @returns undefined for an entry without ID, address, project and date
 */
export function hashEntry({ id, url, projectId, createdAt }: IDataObject): string | undefined {
	if (id !== '' && (typeof id === 'string' || typeof id === 'number')) return hashText(String(id));
	const address = typeof url === 'string' ? url.replace(/[?#].*/s, '') : '';
	const parts = [address, projectId, createdAt].map((part) =>
		typeof part === 'string' || typeof part === 'number' ? String(part) : '',
	);
	// The first character keeps it apart from the IDs.
	return parts.some((part) => part !== '') ? hashText(`\u0000${parts.join('\n')}`) : undefined;
}

const TIME_ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz-';
const TIME_LENGTH = 7;

/** The number of characters that a remembered entry takes. */
export const RECORD_LENGTH = HASH_LENGTH + TIME_LENGTH;

/** An entry that was listed. */
export interface Seen {
	hash: string;
	/** Whole milliseconds since 1970, below MAX_LOG_TIME, or UNDATED. */
	time: number;
}

export function formatRecords(seen: readonly Seen[]): string {
	return seen.map(({ hash, time }) => hash + formatTime(time)).join('');
}

function formatTime(time: number): string {
	let text = '';
	let rest = time;
	for (let i = 0; i < TIME_LENGTH; i++) {
		text = TIME_ALPHABET.charAt(rest % 64) + text;
		rest = Math.floor(rest / 64);
	}
	return text;
}

export function parseRecords(videos: string): Seen[] {
	const seen: Seen[] = [];
	for (let at = 0; at < videos.length; at += RECORD_LENGTH) {
		let time = 0;
		for (let digit = at + HASH_LENGTH; digit < at + RECORD_LENGTH; digit++) {
			time = time * 64 + TIME_ALPHABET.indexOf(videos.charAt(digit));
		}
		seen.push({ hash: videos.slice(at, at + HASH_LENGTH), time });
	}
	return seen;
}

/** The hashes of all records. */
export function parseHashes(videos: string): Set<string> {
	const hashes = new Set<string>();
	for (let at = 0; at < videos.length; at += RECORD_LENGTH) {
		hashes.add(videos.slice(at, at + HASH_LENGTH));
	}
	return hashes;
}
