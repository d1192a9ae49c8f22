/** How much of a text of the service is shown. */
export const MAX_SHOWN_LENGTH = 300;

/** How much of it is searched for markup. */
const MAX_SEARCHED_LENGTH = 4_096;

/** The beginning of a tag. */
const TAG = /<(?=[a-z/!?])/gi;

/**
 * A text of somebody else as one line without markup: n8n's editor shows links and pictures in errors and hints, and a
 * tag without an end would end in the text after it.
 */
export function toLine(text: string): string {
	const line = text
		.slice(0, MAX_SEARCHED_LENGTH)
		.replace(/<[^<>]*>/g, ' ')
		.replace(TAG, '< ')
		.replace(/[\s\p{Cc}]+/gu, ' ')
		.trim();
	return line.length > MAX_SHOWN_LENGTH ? `${line.slice(0, MAX_SHOWN_LENGTH - 1)}…` : line;
}

export function hasMarkup(text: string): boolean {
	return text.search(TAG) >= 0;
}
