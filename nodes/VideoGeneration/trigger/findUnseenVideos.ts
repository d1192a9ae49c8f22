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
 *
 * @param times of the logs, as `readLogTimes` gives them
 */
export function findUnseenVideos(
	logs: readonly IDataObject[],
	times: Float64Array,
	{ videos, floor, isUndatedForgotten }: VideoCursor,
): UnseenVideo[] {
	const known = readKeys(videos);
	const unseen: UnseenVideo[] = [];
	for (let i = 0; i < logs.length; i++) {
		// The time first: of a long list, it tells most logs to be old, and a key costs more.
		const time = times[i] ?? UNDATED;
		if (time === UNDATED ? isUndatedForgotten : time <= floor) continue;
		const log = logs[i];
		const key = isLog(log) ? createVideoKey(log) : undefined;
		if (!log || key === undefined || known.has(key)) continue;
		known.add(key);
		unseen.push({ log, key, time });
	}
	return unseen;
}

/** When each log was created: a loop, since `Float64Array.from` takes twice as long. */
export function readLogTimes(logs: readonly IDataObject[]): Float64Array {
	const times = new Float64Array(logs.length);
	for (let i = 0; i < logs.length; i++) times[i] = readLogTime(logs[i]);
	return times;
}

/** When a log was created, in milliseconds since 1970, or UNDATED. */
export function readLogTime(log: unknown): number {
	return isLog(log) ? readVideoTime(log.createdAt) : UNDATED;
}

/** The service's list may hold anything. */
export function isLog(log: unknown): log is IDataObject {
	return typeof log === 'object' && log !== null;
}
