import type { IDataObject } from 'n8n-workflow';
import { createVideoKey } from './createVideoKey';
import { readVideoTime, UNDATED } from './readVideoTime';
import type { VideoCursor } from './VideoCursor';
import { readKeys } from './videoEntries';

export interface UnseenVideo {
	log: IDataObject;
	key: string;
	/** Milliseconds since 1970, or UNDATED. */
	time: number;
}

/**
 * The logs of a list that a cursor neither remembers nor has forgotten, each ID once. What is no
 * log at all, or has nothing to be told by, is left out.
 */
export function findUnseenVideos(
	logs: readonly IDataObject[],
	{ videos, floor, isUndatedForgotten }: VideoCursor,
): UnseenVideo[] {
	const known = readKeys(videos);
	const unseen: UnseenVideo[] = [];
	for (const log of logs) {
		// The time first: of a long list, it tells most logs to be old, and a key costs more.
		const time = readLogTime(log);
		if (time === UNDATED ? isUndatedForgotten : time <= floor) continue;
		const key = isLog(log) ? createVideoKey(log) : undefined;
		if (key === undefined || known.has(key)) continue;
		known.add(key);
		unseen.push({ log, key, time });
	}
	return unseen;
}

/** When a log was created, in milliseconds since 1970, or UNDATED. */
export function readLogTime(log: unknown): number {
	return isLog(log) ? readVideoTime(log.createdAt) : UNDATED;
}

/** The service's list may hold anything. */
export function isLog(log: unknown): log is IDataObject {
	return typeof log === 'object' && log !== null;
}
