const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const { imul } = Math;

/** How many characters a hash has. */
export const HASH_LENGTH = 11;

/**
 * 64 bits that stand for a text of any length, as 11 characters that JSON need not escape.
 *
 * Not cryptographic, for nobody gains by a collision. Every step maps the two halves one to one,
 * so nothing of the text before is lost: among ten thousand texts that are remembered, a new one
 * has a chance of one in 10^15 to be taken for one of them.
 */
export function hashText(text: string): string {
	let high = 0x2545f491;
	let low = 0x1b873593;
	for (let i = 0; i < text.length; i++) {
		high = imul(rotate(high ^ text.charCodeAt(i), 15), 0x9e3779b1);
		low = imul(rotate(low ^ high, 13), 0x85ebca77);
	}
	low ^= text.length;
	for (let round = 0; round < 2; round++) {
		high = (high + spread(low)) | 0;
		low = (low + spread(high)) | 0;
	}
	return encode(high, low);
}

function rotate(bits: number, by: number): number {
	return (bits << by) | (bits >>> (32 - by));
}

/** Lets each bit change about half of the others. */
function spread(bits: number): number {
	let mixed = imul(bits ^ (bits >>> 16), 0x7feb352d);
	mixed = imul(mixed ^ (mixed >>> 15), 0x846ca68b);
	return mixed ^ (mixed >>> 16);
}

function encode(high: number, low: number): string {
	let text = '';
	for (let shift = 0; shift < 30; shift += 6) {
		text += ALPHABET.charAt((high >>> shift) & 63) + ALPHABET.charAt((low >>> shift) & 63);
	}
	return text + ALPHABET.charAt(((high >>> 30) << 2) | (low >>> 30));
}
