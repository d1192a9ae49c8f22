/** How much of an answer is taken in, for what is taken in stands in n8n's memory. */
export interface AnswerLimits {
	bytes: number;
	/** Objects, lists and named values: a few bytes of JSON each, and many times that in memory. */
	parts: number;
}

const MIB = 1024 ** 2;

/** The answer about one thing has some hundred bytes; hundreds of them may be asked for at once. */
export const ONE_THING: AnswerLimits = { bytes: MIB, parts: 10_000 };

/** A list comes as a whole, without pages: this lets a million videos through, of 268 bytes each. */
export const WHOLE_LIST: AnswerLimits = { bytes: 256 * MIB, parts: 10_000_000 };

/** n8n goes through data level by level, and so do the nodes after this one. */
export const DEEPEST_LEVEL = 100;
