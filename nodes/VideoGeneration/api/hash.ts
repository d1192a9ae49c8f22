/*
 * Fast and not cryptographic: with a chosen collision, a service could only hide its own videos.
 */

const { imul } = Math;

const HIGH = 0x2545f491;
const LOW = 0x1b873593;

/** The length of a hash: 64 bits, in characters that JSON need not escape. */
export const HASH_LENGTH = 11;

/**
 * A text of any length as 64 bits. With 10,000 remembered entries, a new one has a chance of one in
 * 10^15 to be mistaken for one of them.
 */
export function hashText(text: string): string {
	let high = HIGH;
	let low = LOW;
	for (let i = 0; i < text.length; i++) {
		high = imul(rotate(high ^ text.charCodeAt(i), 15), 0x9e3779b1);
		low = imul(rotate(low ^ high, 13), 0x85ebca77);
	}
	return finish(high, low, text.length);
}

/** Bytes of any number as 64 bits, eight at a time: 20 MB in a few milliseconds. */
export function hashBytes(bytes: Uint8Array): string {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
	let high = HIGH;
	let low = LOW;
	let at = 0;
	for (; at + 8 <= bytes.length; at += 8) {
		const before = high;
		high = imul(rotate(low ^ view.getInt32(at), 15), 0x9e3779b1);
		low = imul(rotate(before ^ view.getInt32(at + 4), 13), 0x85ebca77);
	}
	for (; at < bytes.length; at++) {
		high = imul(rotate(high ^ view.getInt8(at), 15), 0x9e3779b1);
		low = imul(rotate(low ^ high, 13), 0x85ebca77);
	}
	return finish(high, low, bytes.length);
}

function finish(high: number, low: number, length: number): string {
	let [left, right] = [high, low ^ length];
	for (let round = 0; round < 2; round++) {
		left = (left + mix(right)) | 0;
		right = (right + mix(left)) | 0;
	}
	return encode(left, right);
}

function rotate(bits: number, by: number): number {
	return (bits << by) | (bits >>> (32 - by));
}

/** Makes each bit change about half of the others. */
function mix(bits: number): number {
	let mixed = imul(bits ^ (bits >>> 16), 0x7feb352d);
	mixed = imul(mixed ^ (mixed >>> 15), 0x846ca68b);
	return mixed ^ (mixed >>> 16);
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

function encode(high: number, low: number): string {
	let text = '';
	for (let shift = 0; shift < 30; shift += 6) {
		text += ALPHABET.charAt((high >>> shift) & 63) + ALPHABET.charAt((low >>> shift) & 63);
	}
	return text + ALPHABET.charAt(((high >>> 30) << 2) | (low >>> 30));
}
