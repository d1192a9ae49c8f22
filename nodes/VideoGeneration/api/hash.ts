const { imul } = Math;

/**
 * A text of any length as a whole number of 53 bits, by cyrb53 (bryc, public domain). With 10,000
 * remembered entries, a new one has a chance of one in 10^12 to be mistaken for one of them. The hash is
 * not cryptographic: with a chosen collision, a service could only hide its own videos.
 */
export function hashText(text: string): number {
	let high = 0xdeadbeef;
	let low = 0x41c6ce57;
	for (let i = 0; i < text.length; i++) {
		const code = text.charCodeAt(i);
		high = imul(high ^ code, 2654435761);
		low = imul(low ^ code, 1597334677);
	}
	high = imul(high ^ (high >>> 16), 2246822507) ^ imul(low ^ (low >>> 13), 3266489909);
	low = imul(low ^ (low >>> 16), 2246822507) ^ imul(high ^ (high >>> 13), 3266489909);
	return 2 ** 32 * (low & 0x1fffff) + (high >>> 0);
}
