import { UNDATED } from './readVideoTime';
import type { VideoCursor } from './VideoCursor';
import { KEPT_UNDATED_VIDEOS, KEPT_VIDEOS } from './VideoCursor';
import { ENTRY_LENGTH, readTimes } from './videoEntries';

/**
 * Keeps the newest videos in mind, by their own dates, and raises the floor over all others: what
 * is forgotten can then never be taken for new.
 */
export function forgetOldVideos(cursor: VideoCursor): VideoCursor {
	const times = readTimes(cursor.videos);
	const floor = Math.max(cursor.floor, findFloor(times));
	const undatedCount = times.reduce((count, time) => count + (time === UNDATED ? 1 : 0), 0);
	// Of the undated ones, those that were seen first go first.
	let undatedToForget = Math.max(0, undatedCount - KEPT_UNDATED_VIDEOS);
	const isUndatedForgotten = cursor.isUndatedForgotten || undatedToForget > 0;
	const kept: string[] = [];
	times.forEach((time, i) => {
		const isKept = time === UNDATED ? undatedToForget-- <= 0 : time > floor;
		if (isKept) kept.push(cursor.videos.slice(i * ENTRY_LENGTH, (i + 1) * ENTRY_LENGTH));
	});
	return { ...cursor, floor, isUndatedForgotten, videos: kept.join('') };
}

/**
 * The time at and below which all but the newest logs lie, of which there are KEPT_VIDEOS at the
 * most: logs of the same millisecond stay together, since only a time can tell that they are old.
 *
 * Numbers in a typed array are sorted twenty times as fast as the logs themselves would be.
 *
 * @param times milliseconds since 1970, in any order
 * @returns 0 when there are no more than that
 */
export function findFloor(times: Float64Array): number {
	return times.length > KEPT_VIDEOS ? (times.toSorted().at(-KEPT_VIDEOS - 1) ?? UNDATED) : UNDATED;
}
