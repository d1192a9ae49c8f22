import { type IDataObject, jsonParse } from 'n8n-workflow';
import { classifyError } from '../failures/errors';
import { MAX_SHOWN_LENGTH, toLine } from '../failures/texts';
import type { FailureFacts, FailureKind, Fate } from '../failures/failure';
import { RequestFailure } from '../failures/failure';

/** A response of the service, without the key that it may repeat. */
export interface HttpResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	/** Only its beginning if it is too long to be parsed. */
	text: string;
	isTooLong?: boolean;
}

/** A body: a list only without its envelope, which the specification reports of a prose example. */
export type Body = IDataObject | IDataObject[];

/** Parses JSON. @returns the first 100 characters of a text that is not JSON */
export function parseBody(text: string): unknown {
	return cutDeep(jsonParse(text, { fallbackValue: text.slice(0, 100) }), MAX_DEPTH);
}

/** n8n cannot read an execution again that holds something nested by some thousand levels. */
const MAX_DEPTH = 100;

/** Replaces what is nested deeper by null, in place: the rest of the response is of use. */
function cutDeep(value: unknown, depth: number): unknown {
	if (typeof value !== 'object' || value === null) return value;
	if (depth === 0) return null;
	const fields = value as Record<string, unknown>;
	for (const name in fields) {
		const field = fields[name];
		if (typeof field === 'object') fields[name] = cutDeep(field, depth - 1);
	}
	return fields;
}

/** Checks for a 2xx with an object of the `status` `success` (specification, "Endpoints"). @throws a RequestFailure */
export function checkBody(
	{ headers, isTooLong, statusCode }: Omit<HttpResponse, 'text'>,
	body: unknown,
): Body {
	const content = nameContent(body);
	const fail = (kind: FailureKind, facts: Partial<FailureFacts>) =>
		new RequestFailure({ kind, httpCode: String(statusCode), ...facts });
	if (statusCode === 429 || statusCode >= 500) {
		const retryAfterMs = getRetryAfterMs(headers, Date.now());
		const kind = statusCode === 429 ? 'rateLimited' : 'uncertain';
		throw fail(kind, { ...getServiceMessage(body), retryAfterMs });
	}
	if (statusCode >= 400) throw fail('rejected', { ...getServiceMessage(body), content });
	if (statusCode >= 300) {
		throw fail('redirected', { location: toLine(toText(headers.location)) || undefined });
	}
	if (isTooLong) throw fail('unreadable', { content: 'tooLong' });
	if (Array.isArray(body)) return body as IDataObject[];
	if (!isObject(body)) throw fail('unreadable', { content });
	if (body.status !== 'success') throw fail('unsuccessful', getServiceMessage(body));
	return body;
}

export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What came instead of a JSON object, in which the service itself answers; undefined for that. */
export function nameContent(body: unknown): FailureFacts['content'] {
	if (isObject(body)) return undefined;
	if (body === undefined || body === null || body === '') return 'empty';
	if (typeof body !== 'string') return 'other';
	const start = body.trimStart();
	if (start.startsWith('<')) return 'html';
	return start.startsWith('{') || start.startsWith('[') ? 'cutOff' : 'other';
}

/** An HTTP date begins with the day of the week; `Date.parse` alone finds a date in almost anything. */
const HTTP_DATE = /^[A-Z][a-z]{2,8}[ ,]/;

/**
 * The delay of a `Retry-After` header (RFC 9110, section 10.2.3) in milliseconds; undefined without a readable one. An
 * HTTP date is compared with the response's own `Date`, or else with this machine's time `now`.
 */
export function getRetryAfterMs(headers: Record<string, unknown>, now: number): number | undefined {
	const text = toText(headers['retry-after']);
	if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
	const until = HTTP_DATE.test(text) ? Date.parse(text) : NaN;
	if (Number.isNaN(until)) return undefined;
	return Math.max(0, until - (Date.parse(toText(headers.date)) || now));
}

/**
 * The service's own words, in the usual places of a body or a body that is plain text: the specification shows `message`
 * for one endpoint alone ("Errors", point 2).
 */
export function getServiceMessage(body: unknown): Pick<FailureFacts, 'serviceMessage'> {
	const plainText = nameContent(body) === 'other' ? body : undefined;
	const { message = plainText, error, detail, errors } = isObject(body) ? body : {};
	// A list of errors may be as long as the service likes.
	const nested = [error, detail, errors]
		.flatMap((each) => (Array.isArray(each) ? (each as unknown[]).slice(0, 100) : [each]))
		.flatMap((each) => (isObject(each) ? [each.message, each.msg] : [each]));
	const serviceMessage = [message, ...nested]
		.map((words) => (typeof words === 'string' ? toLine(words) : ''))
		.find((words) => words !== '');
	return { serviceMessage };
}

/** An object that the specification promises. @throws a RequestFailure */
export function requireObject(body: Body, field: string): IDataObject {
	const value = Array.isArray(body) ? undefined : body[field];
	if (!isObject(value)) throw createIncomplete(field);
	return value;
}

/** A promised list, which may hold anything; some services write an empty one as null. @throws a RequestFailure */
export function requireList(body: Body, field: string): unknown[] {
	const list = Array.isArray(body) ? body : body[field];
	if (list === null) return [];
	if (!Array.isArray(list)) throw createIncomplete(field);
	return list;
}

export function createIncomplete(field: string): RequestFailure {
	return new RequestFailure({ kind: 'incomplete', httpCode: '200', field });
}

/** A text or a number as a text without spaces around it; '' for anything else. */
export function toText(value: unknown): string {
	return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}

/** An ID as it was sent; '' for anything else, such as a number that JavaScript has rounded. */
export function toId(value: unknown): string {
	const isId = typeof value === 'string' ? value.trim() !== '' : Number.isSafeInteger(value);
	return isId ? String(value) : '';
}

/** The prime of FNV-1a with 64 bits is 2 ** 40 + this number. */
const PRIME = 0x1b3;
const TWO_POW_32 = 2 ** 32;
const { floor, imul } = Math;

/**
 * Hashes a text to a whole number of 53 bits: FNV-1a with 64 bits (Fowler, Noll and Vo), folded as its authors recommend.
 * Among 10,000 entries, a new one is mistaken for another with a chance of one in 10^12. With a chosen collision, a
 * service could only hide its own videos.
 */
export function hashText(text: string): number {
	let high = 0xcbf29ce4;
	let low = 0x84222325;
	for (let i = 0; i < text.length; i++) {
		low = (low ^ text.charCodeAt(i)) >>> 0;
		const product = low * PRIME;
		high = (imul(high, PRIME) + (low << 8) + floor(product / TWO_POW_32)) >>> 0;
		low = product >>> 0;
	}
	return (high & 0x1fffff) * TWO_POW_32 + ((low ^ (high >>> 21)) >>> 0);
}

/** A shorter key is a placeholder, for a service without keys, and may be a part of any word. */
const MIN_KEY_LENGTH = 8;
const HIDDEN = '[API key]';

/** Removes the key from a text of the service, however it is written there. */
export function hideKey(text: string, key: string): string {
	// Building the patterns takes longer than reading a short response. Each escape of a character has one of these.
	if (!text.includes(key) && !/[\\&%]/.test(text)) return text;
	if (key.length >= MIN_KEY_LENGTH) {
		// In JSON, a backslash has another one before it. Most keys have none.
		const forms = new Set([JSON.stringify(key).slice(1, -1), key]);
		return [...forms].reduce(repeatsBeginning(key) ? hidePlain : hideForm, text);
	}
	// As a word of a sentence: a value or a field of the JSON stays what it is.
	const word = key.replace(/[^\w\s]/g, '\\$&');
	const found = new RegExp(`(?<= )${word}(?![\\w-])|(?<![\\w-])${word}(?= )`, 'g');
	return text.replace(found, HIDDEN);
}

/** A key whose beginning comes again in it, such as a placeholder, would take minutes to find in a text of such beginnings. */
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

/** A field with a queue ID, whether or not the body is JSON as a whole. */
const QUEUE_ID = /"queueId"\s{0,9}:\s{0,9}(?:"\s{0,9}([^\s"][^"]{0,199})|(-?\d{1,99}))/;

/** Reads the queue item of the response to an add that was sent to `url`, or why there is none, with the add's fate. */
export function readAddResponse(
	response: HttpResponse,
	url: string,
): { queueItem: IDataObject } | RequestFailure {
	const { text, isTooLong } = response;
	const body = parseBody(text);
	const { status, newQueueItem } = isObject(body) ? body : {};
	const queueId = isObject(newQueueItem) ? toId(newQueueItem.queueId) : '';
	if (response.statusCode < 300 && !isTooLong && queueId !== '') {
		return { queueItem: { ...(newQueueItem as IDataObject), queueId } };
	}
	const failure = explainAddResponse(response, body);
	const [, word, number] = QUEUE_ID.exec(text) ?? [];
	const receivedQueueId = word ?? number;
	// A response that names a queue item contradicts its own refusal, and what was not read may name one.
	const isUnnamed = receivedQueueId === undefined && !isTooLong;
	const fate = isUnnamed ? judgeAdd(response, status, url) : 'unknown';
	const receivedText = fate === 'unknown' ? text.slice(0, MAX_SHOWN_LENGTH) : '';
	return failure.with({ fate, receivedText: receivedText || undefined, receivedQueueId });
}

function explainAddResponse(response: HttpResponse, body: unknown): RequestFailure {
	try {
		requireObject(checkBody(response, body), 'newQueueItem');
		return createIncomplete('newQueueItem.queueId');
	} catch (error) {
		return classifyError(error);
	}
}

/**
 * The statuses that prove that a request was not carried out. A 303 points to the result of one that was, and a gateway may
 * send 408, 409, 423, 424, 425 and 499 after the service has accepted it.
 */
const REFUSING_STATUSES: ReadonlySet<number> = new Set([
	307, 308, 400, 401, 402, 403, 404, 405, 406, 410, 411, 413, 414, 415, 417, 421, 422, 429, 431,
	451,
]);

/** Words by which the `status` of a body says that nothing was done. */
const REFUSALS = /^(error|err|fail|failed|failure|unsuccessful|invalid|denied|rejected|refused)$/i;

/** Decides the fate of an add by its response alone, which names no queue item. */
function judgeAdd(response: HttpResponse, status: unknown, url: string): Fate {
	const { statusCode } = response;
	// A proxy asks for a user name and a password, and passes nothing on.
	if (statusCode === 407) return 'notSent';
	const isRefused =
		statusCode < 300
			? REFUSALS.test(toText(status))
			: REFUSING_STATUSES.has(statusCode) || isElsewhere(response, url);
	return isRefused ? 'refused' : 'unknown';
}

/** Whether a 301 or 302 names the same path elsewhere. Another path may be the result of a request that was carried out. */
function isElsewhere({ statusCode, headers }: HttpResponse, url: string): boolean {
	const location = toText(headers.location);
	if (![301, 302].includes(statusCode) || !URL.canParse(location, url)) return false;
	const [source, target] = [new URL(url), new URL(location, url)];
	return target.pathname === source.pathname && target.origin !== source.origin;
}

/** Adds a value to those of a key. */
export function addTo<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
	const values = map.get(key);
	if (values) values.push(value);
	else map.set(key, [value]);
}
