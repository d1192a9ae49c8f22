const HIDDEN = '[API key]';

/** Longer texts are cut before they are searched, and again after it: the first cut may split a key. */
const MAX_SEARCHED_LENGTH = 8192;
const MAX_KEPT_LENGTH = 4096;
const MAX_SHOWN_LENGTH = 300;

/** Removes the key from a text of the service: as it is, escaped (in links, JSON, HTML), or in base64. */
export function hideKey(text: string, key: string): string {
	const searched = text.slice(0, MAX_SEARCHED_LENGTH);
	return searched.replace(createPattern(key), HIDDEN).slice(0, MAX_KEPT_LENGTH);
}

/** One line without markup, of at most 300 characters. */
export function toLine(text: string): string {
	const line = text
		.replace(/<[^<>]*>/g, ' ')
		.replace(/[\s\p{Cc}]+/gu, ' ')
		.trim();
	return line.length > MAX_SHOWN_LENGTH ? `${line.slice(0, MAX_SHOWN_LENGTH - 1)}…` : line;
}

/** A shorter key, in base64, would be found in too many words. */
const MIN_ENCODED_LENGTH = 6;

function createPattern(key: string): RegExp {
	const escaped = Array.from(key, (character) => {
		const code = character.charCodeAt(0);
		const hex = code.toString(16);
		const plain = character.replace(/\W/, '\\$&');
		const entity = `&#(?:x0*${hex}|0*${code});${/[&<>"']/.test(character) ? '|&[a-z]{2,4};' : ''}`;
		// Backslashes before a backslash could be counted in many ways, which takes endless time.
		const escape = character === '\\' ? '' : '\\\\{0,2}';
		return `${escape}(?:${plain}|%(?:25)*${hex}|u00${hex}|${entity})`;
	}).join('');
	// Where a key begins in base64 depends on the text before it.
	const offsets = key.length < MIN_ENCODED_LENGTH ? [] : [0, 1, 2];
	const base64 = offsets.map((offset) =>
		Buffer.from(' '.repeat(offset) + key)
			.toString('base64')
			.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + key.length) * 8) / 6))
			.replace(/\W/g, (character) => (character === '+' ? '[+-]' : '[/_]')),
	);
	return new RegExp([escaped, ...base64].join('|'), 'gi');
}
