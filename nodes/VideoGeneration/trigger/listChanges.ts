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
	/** The times of the remembered entries, by the hashes of their IDs: 33 bytes each, 198 KB at most. */
	videos: Record<string, number>;
}

/** Dates that change by less only lose or gain their fractions of a second. */
const MIN_SHIFT_MS = 1_000;

/** With fewer, somebody may have corrected some dates. */
const MIN_SHIFTED = 10;

/** With fewer, one video may have been deleted in the second in which another came. */
const MIN_RENAMED = 2;

/** Whether an entry is remembered by its ID and its date: some services leave out the fractions of a second. */
export function isRemembered({ videos }: Remembered, { hash, time }: ListedEntry): boolean {
	return toSecond(videos[hash] ?? NaN) === toSecond(time);
}

/** What is remembered, as if the service had always written the dates and IDs of its list as it does now. */
export function adoptChanges<T extends Remembered>(before: T, listed: readonly ListedEntry[]): T {
	const same = listed.filter((each) => isRemembered(before, each));
	if (same.length * 2 >= listed.length) return before;
	return adoptIds(shiftDates(before, listed), listed);
}

/** Shifts all dates if those of the entries that are known have changed by the same time. */
function shiftDates<T extends Remembered>(before: T, listed: readonly ListedEntry[]): T {
	const getTime = ({ hash }: ListedEntry) => before.videos[hash] ?? 0;
	const dated = listed.filter((each) => each.time > 0 && getTime(each) > 0);
	const shifts = Float64Array.from(dated, (each) => each.time - getTime(each)).sort();
	const [least = 0, most = 0] = [shifts.at(0), shifts.at(-1)];
	const isShift = least >= MIN_SHIFT_MS || most <= -MIN_SHIFT_MS;
	if (shifts.length < MIN_SHIFTED || !isShift || most - least >= MIN_SHIFT_MS) return before;
	const shift = (time: number) => (time > 0 ? time + most : time);
	const videos = Object.entries(before.videos).map(([hash, time]) => [hash, shift(time)] as const);
	return { ...before, floor: shift(before.floor), videos: Object.fromEntries(videos) };
}

/** Knows entries by their dates, if more dates have another ID than entries have their own one. */
function adoptIds<T extends Remembered>(before: T, listed: readonly ListedEntry[]): T {
	const same = listed.filter((each) => isRemembered(before, each));
	const own = new Set(same.map(({ hash }) => hash));
	const left = Object.entries(before.videos).filter(([hash]) => !own.has(hash));
	const times = new Map(left.map(([, time]) => [toSecond(time), time]));
	const renamed = listed.filter(
		({ hash, time }) => !own.has(hash) && time > 0 && times.has(toSecond(time)),
	);
	// Dates without a time are those of others, too.
	const found = new Set(renamed.map(({ time }) => toSecond(time)));
	if (renamed.length < MIN_RENAMED || found.size <= same.length) return before;
	const kept = same.map(({ hash }) => [hash, before.videos[hash] ?? 0] as const);
	// A date that has lost its fractions may be one that is forgotten.
	const adopted = renamed.map(
		({ hash, time }) => [hash, times.get(toSecond(time)) ?? time] as const,
	);
	const videos = Object.fromEntries([...kept, ...adopted]);
	// What has left the list would come back into it with another ID.
	const hasLeft = Object.keys(videos).length < Object.keys(before.videos).length;
	const floor = hasLeft ? Math.min(...found) * 1_000 - 1 : -1;
	return { ...before, floor: Math.max(before.floor, floor), videos };
}

function toSecond(time: number): number {
	return Math.floor(time / 1_000);
}
