const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const toLocal = (time: number, hours: number) =>
	new Date(time + hours * HOUR_MS).toJSON().slice(0, -1);

/** How a service writes a date. */
export const DATES = {
	iso: (time: number): unknown => new Date(time).toJSON(),
	wholeSeconds: (time: number) => new Date(time).toJSON().replace(/\.\d+/, ''),
	milliseconds: (time: number) => time,
	seconds: (time: number) => Math.floor(time / SECOND_MS),
	millisecondsAsText: String,
	secondsAsText: (time: number) => String(Math.floor(time / SECOND_MS)),
	tokyo: (time: number) => `${toLocal(time, 9)}+09:00`,
	http: (time: number) => new Date(time).toUTCString(),
	withoutZone: (time: number) => toLocal(time, 0).replace('T', ' '),
	// Another zone, without a word.
	ahead: (time: number) => toLocal(time, 9),
	behind: (time: number) => toLocal(time, -5),
	unreadable: () => 'soon',
	none: () => null,
};

const createUuid = (count: number, of: string) => `${of}-${String(count).padStart(12, '0')}`;
const LONG = 2n ** 60n;
/** How a service writes an ID, as JSON. */
export const IDS = {
	text: (count: number) => JSON.stringify(createUuid(count, 'video')),
	others: (count: number) => JSON.stringify(createUuid(count, 'log')),
	digits: (count: number) => JSON.stringify(String(count)),
	numbers: String,
	// Beyond the integers of JavaScript, which rounds them.
	longText: (count: number) => JSON.stringify(String(LONG + BigInt(count))),
	longNumbers: (count: number) => String(LONG + BigInt(count)),
	objects: (count: number) => JSON.stringify({ $oid: count }),
	none: () => 'null',
};

/** How a service names the fields of an entry; the others are as the specification has them. */
export const ENTRY_NAMES: { id?: string; url?: string; projectId?: string; createdAt?: string }[] =
	[
		{},
		{ id: '_id' },
		{ url: 'videoUrl' },
		{ url: 'link' },
		{ projectId: 'project' },
		{ createdAt: 'created_at' },
	];
