const LOCAL_DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?)?$/;

/**
 * A point in time as n8n's date field or an expression gives it. One without a time zone is meant
 * in the workflow's, as everywhere in n8n.
 *
 * @param timeZone an IANA name, e.g. `Europe/Berlin`
 * @returns milliseconds since 1970, or undefined when it is not a date
 */
export function readDateTime(value: unknown, timeZone: string): number | undefined {
	const text = value instanceof Date ? value.toISOString() : String(value).trim();
	const local = LOCAL_DATE_TIME.exec(text);
	if (!local) {
		const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
		return Number.isNaN(time) ? undefined : time;
	}
	const [year, month, day, hour, minute, second] = local
		.slice(1, 7)
		.map((part: string | undefined) => Number(part ?? 0));
	const milliseconds = Number((local[7] ?? '').padEnd(3, '0'));
	const asUtc = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second, milliseconds);
	if (!new Date(asUtc).toISOString().startsWith(text.slice(0, 10))) return undefined;

	// The offset at the time itself is wanted; the first one is that of a time some hours away.
	const guess = asUtc - getOffsetMs(asUtc, timeZone);
	return asUtc - getOffsetMs(guess, timeZone);
}

/** How far a time zone is ahead of UTC at a point in time. */
function getOffsetMs(time: number, timeZone: string): number {
	const parts = new Intl.DateTimeFormat('en-US', {
		timeZone,
		hourCycle: 'h23',
		year: 'numeric',
		month: 'numeric',
		day: 'numeric',
		hour: 'numeric',
		minute: 'numeric',
		second: 'numeric',
	}).formatToParts(time);
	const read = (type: string) => Number(parts.find((part) => part.type === type)?.value);
	const wallClock = Date.UTC(
		read('year'),
		read('month') - 1,
		read('day'),
		read('hour'),
		read('minute'),
		read('second'),
	);
	return wallClock - Math.floor(time / 1000) * 1000;
}
