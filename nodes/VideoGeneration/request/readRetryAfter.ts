/** Begins with the day of the week; `Date.parse` alone reads a date into almost anything. */
const HTTP_DATE = /^[A-Z][a-z]{2,8}[ ,]/;

/**
 * How long a `Retry-After` header asks to wait: a number of seconds or an HTTP date (RFC 9110,
 * section 10.2.3; the specification of the service shows no header of its own).
 *
 * A date is held against the answer's own `Date`, so that this machine's clock does not matter.
 *
 * @param now this machine's time in milliseconds, for an answer without a `Date`
 * @returns milliseconds, 0 for a time that has passed, or undefined when there is nothing readable
 */
export function readRetryAfter(headers: Record<string, unknown>, now: number): number | undefined {
	const value = headers['retry-after'];
	const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
	if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;

	const until = HTTP_DATE.test(text) ? Date.parse(text) : NaN;
	if (Number.isNaN(until)) return undefined;
	const answeredAt = Date.parse(typeof headers.date === 'string' ? headers.date : '');
	return Math.max(0, until - (Number.isNaN(answeredAt) ? now : answeredAt));
}
