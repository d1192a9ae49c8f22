/** A shorter key is a placeholder, for a service without keys, and may be a part of any word. */
const MIN_KEY_LENGTH = 8;
const HIDDEN = '[API key]';

/** In a text of this length, any key is found within a moment. */
const MAX_SLOW_LENGTH = 10_000;

/** Removes the key from a text of the service, however it is written there. */
export function hideKey(text: string, key: string): string {
	// Building the patterns takes longer than reading a short response. Each escape of a character has one of these.
	if (!text.includes(key) && !/[\\&%]/.test(text)) return text;
	if (key.length >= MIN_KEY_LENGTH) {
		// In JSON, a backslash has another one before it. Most keys have none.
		const forms = new Set([JSON.stringify(key).slice(1, -1), key]);
		const isSlow = text.length > MAX_SLOW_LENGTH && repeatsBeginning(key);
		return [...forms].reduce(isSlow ? hidePlain : hideForm, text);
	}
	// As a word of a sentence: a value or a field of the JSON stays what it is.
	const word = key.replace(/[^\w\s]/g, '\\$&');
	const found = new RegExp(`(?<= )${word}(?![\\w-])|(?<![\\w-])${word}(?= )`, 'g');
	return text.replace(found, HIDDEN);
}

/** A key whose beginning comes again in it, such as a placeholder, takes minutes to find in a long text of such beginnings. */
const repeatsBeginning = (key: string) => key.includes(key.slice(0, 4), 1);

const hidePlain = (text: string, form: string) =>
	text.replaceAll(form, HIDDEN).replaceAll(encodeURIComponent(form), HIDDEN);

/** A key is matched in parts: the pattern of a long one would take long to compile. */
const PARTS = /.{1,50}/g;

function hideForm(text: string, form: string): string {
	const patterns = (form.match(PARTS) ?? []).map(matchWritten);
	const parts = patterns.map((pattern) => new RegExp(pattern, 'y'));
	const findEnd = (from: number, part: RegExp) => {
		part.lastIndex = from;
		return part.test(text) ? part.lastIndex : Infinity;
	};
	const start = new RegExp(patterns[0] ?? '', 'g');
	let shown = '';
	let end = 0;
	for (let found = start.exec(text); found; found = start.exec(text)) {
		const foundEnd = parts.reduce(findEnd, found.index);
		// The next place may overlap this one.
		start.lastIndex = found.index + 1;
		if (foundEnd === Infinity) continue;
		shown += text.slice(end, found.index) + HIDDEN;
		end = start.lastIndex = foundEnd;
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
