/** A shorter key is a placeholder, for a service without keys, and may be a part of any word. */
const MIN_KEY_LENGTH = 8;
const HIDDEN = '[API key]';

/** Removes the key from a text of the service, however it is written there. */
export function hideKey(text: string, key: string): string {
	// Building the patterns takes longer than reading a short response. Each escape of a character has one of these, and
	// V8 finds so many characters in linear time.
	if (!text.includes(key.slice(0, 200)) && !/[\\&%]/.test(text)) return text;
	if (key.length >= MIN_KEY_LENGTH) {
		// In JSON, a backslash has another one before it. Most keys have none.
		const forms = new Set([JSON.stringify(key).slice(1, -1), key]);
		return [...forms].reduce(hideForm, text);
	}
	// As a word of a sentence: a value or a field of the JSON stays what it is.
	const word = quote(key);
	const found = new RegExp(`(?<= )${word}(?![\\w-])|(?<![\\w-])${word}(?= )`, 'g');
	return text.replace(found, HIDDEN);
}

/** A pattern for a text as it is. */
const quote = (text: string) => text.replace(/[^\w\s]/g, '\\$&');

/**
 * A key is matched in parts: a long pattern takes long to compile, and long to find in vain. None ends where the next
 * characters may belong to an escape.
 */
const PARTS = /(?:^.{2}|.{0,11})[\\&%]{0,9}./g;

/** In a shorter text, any key is found within a moment. */
const MAX_SLOW_LENGTH = 100_000;

/**
 * Hides a form of the key. Where more is compared with the key than the text has characters, the text repeats its beginning
 * to slow the search down: nothing of such a text is shown.
 */
function hideForm(text: string, form: string): string {
	const parts = form.match(PARTS) ?? [];
	const createPatterns = (write: (part: string) => string) =>
		parts.map((part) => new RegExp(write(part), 'y'));
	// Of a form that looks like an escape itself, the first way may take too much.
	const ways = [createPatterns(matchWritten), createPatterns(quote)];
	const start = new RegExp(matchWritten(parts[0] ?? ''), 'g');
	let compared = 0;
	let foundEnd = 0;
	const matches = (part: RegExp) => {
		part.lastIndex = foundEnd;
		if (!part.test(text)) return false;
		compared += part.lastIndex - foundEnd;
		foundEnd = part.lastIndex;
		return true;
	};
	let shown = '';
	let end = 0;
	for (let found = start.exec(text); found; found = start.exec(text)) {
		const { index } = found;
		const isFound = ways.some((way) => {
			foundEnd = index;
			return way.every(matches);
		});
		// The next place may overlap this one.
		start.lastIndex = isFound ? foundEnd : index + 1;
		if (isFound) {
			shown += text.slice(end, index) + HIDDEN;
			end = foundEnd;
		} else if (compared > 2 * text.length + MAX_SLOW_LENGTH) return HIDDEN;
	}
	return shown + text.slice(end);
}

/** An ampersand, also one that is escaped itself, as in a web page inside JSON. */
const AMPERSAND = String.raw`(?:&|\\{1,4}u0026|%26)(?:amp;){0,3}`;

/**
 * A pattern for a text whose characters may be escaped for JSON, for a link or for a web page, also more than once. All
 * repetitions are bounded: a response must not take long to search.
 */
function matchWritten(text: string): string {
	return text.replace(/./g, (sign) => {
		const code = sign.charCodeAt(0);
		const hex = code.toString(16).replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
		const isLetter = /[a-z\d]/i.test(sign);
		// Only signs have backslashes before them, or names such as "plus". A backslash before another one is a sign.
		const own = isLetter ? sign : `${sign === '\\' ? '' : String.raw`\\{0,3}`}\\${sign}`;
		const names = isLetter ? '' : '|[A-Za-z]{2,8}';
		const inPage = `${AMPERSAND}(?:#0{0,5}${code}|#[xX]0{0,5}${hex}${names});`;
		// The longest first: an ampersand or a percent sign begins its own escape.
		return String.raw`(?:${inPage}|\\{1,4}u00${hex}|%(?:25){0,3}${hex}|${own})`;
	});
}
