import fc from 'fast-check';

/*
 * How a service may write its list of videos.
 */

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
const isTenth = (count: number) => count % 10 === 0;
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
	// Numbers that others had.
	shifted: (count: number) => String(count + 1),
	// IDs that differ from those of `text`, or of `others`, in part.
	most: (count: number): string => IDS[isTenth(count) ? 'text' : 'others'](count),
	few: (count: number): string => IDS[isTenth(count) ? 'others' : 'text'](count),
};

/** How a service names the fields of an entry; the others are as the specification has them. */
const ENTRY_NAMES: Form['names'][] = [
	{},
	{ id: '_id' },
	{ url: 'videoUrl' },
	{ url: 'link' },
	{ projectId: 'project' },
	{ createdAt: 'created_at' },
];

export interface Form {
	date: keyof typeof DATES;
	id: keyof typeof IDS;
	host: string;
	/** The names of fields that the specification has; the others are as it has them. */
	names: { id?: string; url?: string; projectId?: string; createdAt?: string };
	/** How many of the newest videos are listed. */
	size: number;
	order: 'newestFirst' | 'oldestFirst' | 'shuffled';
}

export const USUAL: Omit<Form, 'host'> = {
	date: 'iso',
	id: 'text',
	names: {},
	size: Infinity,
	order: 'oldestFirst',
};

const of = fc.constantFrom;
export const keysOf = <T extends object>(table: T) => of(...(Object.keys(table) as (keyof T)[]));
/** One thing that a service may write otherwise, with these hosts, and these sizes of its list. */
export const listChanges = (hosts: string[], sizes: number[]): fc.Arbitrary<Partial<Form>>[] => [
	fc.record({ date: keysOf(DATES) }),
	fc.record({ id: keysOf(IDS) }),
	fc.record({ host: of(...hosts) }),
	fc.record({ names: of(...ENTRY_NAMES) }),
	fc.record({ size: of(...sizes) }),
	fc.record({ order: of('newestFirst', 'oldestFirst', 'shuffled') }),
];

/** Whether dates can be read. */
export const hasDates = ({ date, names }: Form) =>
	!['unreadable', 'none'].includes(date) && names.createdAt === undefined;
/** Whether IDs tell nothing: all else must stay then. */
export const isBlind = ({ id, names }: Form) =>
	['none', 'objects', 'longNumbers'].includes(id) || names.id !== undefined;

interface Video {
	/** Its number, of which its ID is made. */
	count: number;
	time: number;
}

/** The videos that a list shows, in its order. */
export function selectListed<Listed extends Video>(
	videos: readonly Listed[],
	{ size, order }: Pick<Form, 'size' | 'order'>,
): Listed[] {
	const newestFirst = [...videos].sort((a, b) => b.time - a.time).slice(0, size);
	if (order === 'oldestFirst') return newestFirst.reverse();
	return order === 'newestFirst' ? newestFirst : newestFirst.sort((a, b) => hash(a) - hash(b));
}
const hash = ({ count }: Video) => (count * 7_919) % 1_009;

/** Writes an entry. @param others its other fields, which may replace its date */
export function writeEntry(
	{ count, time, url, projectId }: Video & { url: string; projectId: string },
	{ date, id, names }: Form,
	others: object,
): string {
	const rest = {
		[names.url ?? 'url']: url,
		[names.projectId ?? 'projectId']: projectId,
		[names.createdAt ?? 'createdAt']: DATES[date](time),
		...others,
	};
	return `{"${names.id ?? 'id'}":${IDS[id](count)},${JSON.stringify(rest).slice(1)}`;
}

export const writeList = (entries: string[]) =>
	`{"status":"success","message":"","videos":[${entries.join(',')}]}`;
