import { type IDataObject, jsonParse } from 'n8n-workflow';
import { toLine } from '../failures/texts';
import type { SharedFacts, SharedKind } from '../failures/failure';
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

/** Parses JSON, and cuts what is nested deep. @returns the first 100 characters of a text that is not JSON */
export function parseBody(text: string): unknown {
	return cutDeep(parseList(text));
}

/** Parses JSON whose entries are cut when they are read. @returns the same as `parseBody` otherwise */
export function parseList(text: string): unknown {
	return jsonParse<unknown>(text, { fallbackValue: text.slice(0, 100) });
}

/** n8n cannot read an execution again that holds something nested by some thousand levels. */
const MAX_DEPTH = 100;

/** Replaces what is nested deeper by null, in place: the rest of the response is of use. */
export function cutDeep<T>(value: T, depth = MAX_DEPTH): T {
	if (typeof value !== 'object' || value === null) return value;
	if (depth === 0) return null as T;
	if (Array.isArray(value)) {
		// By its indexes: its names take several times as long.
		for (let i = 0; i < value.length; i++) value[i] = cutDeep<unknown>(value[i], depth - 1);
		return value;
	}
	const fields = value as IDataObject;
	for (const name in fields) {
		if (typeof fields[name] === 'object') fields[name] = cutDeep(fields[name], depth - 1);
	}
	return value;
}

/** Checks for a 2xx with an object of the `status` `success` (specification, "Endpoints"). @throws a RequestFailure */
export function checkBody(
	{ headers, isTooLong, statusCode }: Omit<HttpResponse, 'text'>,
	body: unknown,
): Body {
	const content = nameContent(body);
	const fail = (kind: SharedKind, facts: SharedFacts) =>
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
export function nameContent(body: unknown): SharedFacts['content'] {
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
export function getServiceMessage(body: unknown): Pick<SharedFacts, 'serviceMessage'> {
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
