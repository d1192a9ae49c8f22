/**
 * Ids in the form of a UUID, the same ones in the same order for the same seed (mulberry32).
 *
 * @param seed an integer
 */
export function createIdSource(seed: number): () => string {
	let state = seed >>> 0;
	const nextByte = () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return (mixed ^ (mixed >>> 14)) >>> 24;
	};
	return () => {
		const bytes = Buffer.from(Array.from({ length: 16 }, nextByte));
		bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
		bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
		return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
	};
}
