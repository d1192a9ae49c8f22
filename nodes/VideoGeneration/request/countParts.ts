const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
/** The square bracket and the brace differ in this bit alone. */
const EITHER = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** What a JSON text would come to, without making it: a pass over its bytes that skips all strings. */
export function countParts(json: Buffer): { parts: number; levels: number } {
	let parts = 0;
	let level = 0;
	let levels = 0;
	for (let at = 0; at < json.length; at++) {
		const byte = json[at] ?? 0;
		if (byte === QUOTE) at = findEnd(json, at);
		else if (byte === COLON) parts += 1;
		else if ((byte | EITHER) === OPENING) {
			parts += 1;
			level += 1;
			if (level > levels) levels = level;
		} else if ((byte | EITHER) === CLOSING) level -= 1;
	}
	return { parts, levels };
}

/** Where a string ends: at the next quotation mark that is not part of it. */
function findEnd(json: Buffer, start: number): number {
	let end = start;
	do {
		end = json.indexOf(QUOTE, end + 1);
	} while (end !== -1 && isEscaped(json, end));
	return end === -1 ? json.length : end;
}

function isEscaped(json: Buffer, at: number): boolean {
	let before = at - 1;
	while (json[before] === BACKSLASH) before -= 1;
	return (at - before) % 2 === 0;
}
