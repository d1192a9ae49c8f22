import { END_OF_TIME } from './readVideoTime';
import { HASH_LENGTH } from './hashText';
import type { VideoCursor } from './VideoCursor';
import { ENTRY_LENGTH } from './videoEntries';

/** Whatever may stand where a cursor should: `absent` before the first poll, or `damaged`. */
export type StoredCursor = VideoCursor | 'absent' | 'damaged';

/**
 * Reads any JSON as a cursor. It is taken whole or not at all: with a part of it, videos that were
 * handed on before would be taken for new.
 */
export function parseCursor(value: unknown): StoredCursor {
	if (value === undefined) return 'absent';
	if (typeof value !== 'object' || value === null) return 'damaged';
	const { version, account, projects, floor, isUndatedForgotten, videos } =
		value as Partial<VideoCursor>;
	const isSound =
		version === 1 &&
		typeof account === 'string' &&
		isPacked(projects, HASH_LENGTH) &&
		isPacked(videos, ENTRY_LENGTH) &&
		typeof isUndatedForgotten === 'boolean' &&
		Number.isInteger(floor) &&
		floor !== undefined &&
		floor >= 0 &&
		floor < END_OF_TIME;
	return isSound ? { version, account, projects, floor, isUndatedForgotten, videos } : 'damaged';
}

/** Whether a text consists of parts of one length, in the letters of our own encodings. */
function isPacked(text: unknown, partLength: number): text is string {
	return typeof text === 'string' && text.length % partLength === 0 && /^[\w-]*$/.test(text);
}
