/** A date that ends like this names its zone; one that ends in a word, such as GMT, may too. */
const HAS_ZONE = /(Z|[+-]\d\d:?\d\d)$/i;

/** A longer text is no date; what it is need not be found out. */
const MAX_DATE_LENGTH = 100;

/** The year 2109. Services write "never" as a date far in the future. */
export const MAX_LOG_TIME = 2 ** 42;

/**
 * The time in an entry of the video log (specification, "Video log"), in milliseconds since 1970. A
 * date without a time zone means UTC, wherever n8n runs.
 *
 * @returns undefined when it is not a date, or a date that no video can have: 1970 or earlier,
 * which is how an unset date looks, and after 2109
 */
export function parseLogTime(createdAt: unknown): number | undefined {
	if (typeof createdAt !== 'string' || createdAt.length > MAX_DATE_LENGTH) return undefined;
	const text = createdAt.trim();
	const time = (HAS_ZONE.test(text) ? NaN : Date.parse(`${text}Z`)) || Date.parse(text);
	return time > 0 && time < MAX_LOG_TIME ? time : undefined;
}
