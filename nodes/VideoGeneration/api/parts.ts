import { pause } from './pause';

/** As many entries are handled at once: a few milliseconds of work. */
const PART_LENGTH = 5_000;

/** A long list in parts, between which n8n does other work. */
export async function* inParts<T>(list: readonly T[]): AsyncGenerator<readonly T[]> {
	for (let at = 0; at < list.length; at += PART_LENGTH) {
		if (at > 0) await pause(1);
		yield list.slice(at, at + PART_LENGTH);
	}
}
