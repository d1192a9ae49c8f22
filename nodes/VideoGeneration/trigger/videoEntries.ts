import { HASH_LENGTH } from './hashText';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz-';
const TIME_LENGTH = 7;

/** How many characters a remembered video takes: its key and its time. */
export const ENTRY_LENGTH = HASH_LENGTH + TIME_LENGTH;

/** @param time whole milliseconds, from 0 to 2^42 - 1 */
export function formatEntry(key: string, time: number): string {
	let text = '';
	let rest = time;
	for (let i = 0; i < TIME_LENGTH; i++) {
		text = ALPHABET.charAt(rest % 64) + text;
		rest = Math.floor(rest / 64);
	}
	return key + text;
}

/** The keys of all entries. */
export function readKeys(videos: string): Set<string> {
	const keys = new Set<string>();
	for (let at = 0; at < videos.length; at += ENTRY_LENGTH) {
		keys.add(videos.slice(at, at + HASH_LENGTH));
	}
	return keys;
}

/** The times of all entries, in their order. */
export function readTimes(videos: string): Float64Array {
	const times = new Float64Array(videos.length / ENTRY_LENGTH);
	for (let i = 0; i < times.length; i++) {
		const end = (i + 1) * ENTRY_LENGTH;
		let time = 0;
		for (let at = end - TIME_LENGTH; at < end; at++) {
			time = time * 64 + ALPHABET.indexOf(videos.charAt(at));
		}
		times[i] = time;
	}
	return times;
}
