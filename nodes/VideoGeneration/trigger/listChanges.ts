import type { IDataObject } from 'n8n-workflow';

/** An entry of the list, and what tells whether it is new. */
export interface ListedEntry {
	entry: IDataObject;
	/** The hash of what it is identified by. */
	hash: string;
	/** 0 without a readable date. */
	time: number;
}

/** What a trigger remembers of the entries of a list. */
export interface Remembered {
	/** Milliseconds since 1970: entries up to this time are not new. -1 while all are remembered. */
	floor: number;
	/** The times of the remembered entries, by the hashes of their IDs. */
	videos: Map<string, number>;
}

/** Time zones differ by a multiple of this. */
const ZONE_STEP_MS = 15 * 60 * 1_000;

/** With fewer, one video may have been deleted in the second in which another came, or one date been corrected. */
const MIN_CHANGED = 2;

/** Whether an entry is remembered by its ID and its date: some services leave out the fractions of a second. */
export function isRemembered({ videos }: Remembered, { hash, time }: ListedEntry): boolean {
	return toSecond(videos.get(hash) ?? NaN) === toSecond(time);
}

/** What is remembered, as if the service had always written the dates and IDs of its list as it does now. */
export function adoptChanges<T extends Remembered>(before: T, listed: readonly ListedEntry[]): T {
	const moved = moveDates(before, listed);
	let sameMinusOthers = 0;
	for (const each of listed) {
		if (each.time === 0) continue;
		// A date that could not be read tells nothing.
		const isSame = moved.videos.get(each.hash) === 0 || isRemembered(moved, each);
		sameMinusOthers += isSame ? 1 : -1;
	}
	return sameMinusOthers >= 0 ? moved : adoptIds(moved, listed);
}

/** Moves all dates to another time zone, if it is the same one for the entries that are known. */
function moveDates<T extends Remembered>(before: T, listed: readonly ListedEntry[]): T {
	const getTime = ({ hash }: ListedEntry) => before.videos.get(hash) ?? 0;
	const getMove = (each: ListedEntry) => each.time - getTime(each);
	const isKnown = (each: ListedEntry) => each.time > 0 && getTime(each) > 0;
	const first = listed.find(isKnown);
	const move = first ? Math.round(getMove(first) / ZONE_STEP_MS) * ZONE_STEP_MS : 0;
	if (move === 0) return before;
	const moves = listed.filter(isKnown).map(getMove);
	const isOne = moves.every((each) => Math.abs(each - move) < 1_000);
	if (moves.length < MIN_CHANGED || !isOne) return before;
	const toZone = (time: number) => (time > 0 ? time + move : time);
	const videos = new Map([...before.videos].map(([hash, time]) => [hash, toZone(time)]));
	return { ...before, floor: toZone(before.floor), videos };
}

/** Knows entries by their dates, if more dates have another ID than entries have their own one. */
function adoptIds<T extends Remembered>(before: T, listed: readonly ListedEntry[]): T {
	const same = listed.filter((each) => isRemembered(before, each));
	const own = new Map(same.map(({ hash }) => [hash, before.videos.get(hash) ?? 0]));
	const left = [...before.videos].filter(([hash]) => !own.has(hash));
	const times = new Map(left.map(([, time]) => [toSecond(time), time]));
	const renamed = listed.filter(
		({ hash, time }) => !own.has(hash) && time > 0 && times.has(toSecond(time)),
	);
	// Dates without a time are those of others, too.
	const found = new Set(renamed.map(({ time }) => toSecond(time)));
	const datedCount = same.filter(({ time }) => time > 0).length;
	if (renamed.length < MIN_CHANGED || found.size <= datedCount) return before;
	// A date that has lost its fractions may be one that is forgotten.
	for (const { hash, time } of renamed) own.set(hash, times.get(toSecond(time)) ?? time);
	return { ...before, videos: own };
}

function toSecond(time: number): number {
	return Math.floor(time / 1_000);
}
