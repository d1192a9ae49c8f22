import type { IDataObject } from 'n8n-workflow';
import { isObject, toId, toText } from './response';

/** An entry of the video log as it is listed now: its address may be signed anew. Undefined without an ID. */
export function findEntry(entries: unknown[], video: IDataObject): IDataObject | undefined {
	if (toText(video.id) === '') return undefined;
	// A service may begin to write IDs as numbers, and JavaScript rounds long ones.
	const key = getEntryKey(video);
	return entries.filter(isObject).find((entry) => getEntryKey(entry) === key);
}

const FIRST_FIELDS = ['id', 'url', 'createdAt', 'projectId'];

/** An entry with the fields first that people use first. */
export function putFirst(entry: IDataObject): IDataObject {
	const first = FIRST_FIELDS.filter((field) => field in entry);
	return { ...Object.fromEntries(first.map((field) => [field, entry[field]])), ...entry };
}

/**
 * Identifies an entry of the video log by its ID, which the specification promises, or else by its address, project
 * and date; undefined without any. The address counts without its host, which may move, and without its query, in
 * which services put signatures that change. JavaScript rounds an ID beyond its integers, so these count as well then.
 */
export function identifyEntry({ id, url, projectId, createdAt }: IDataObject): string | undefined {
	const own = toId(id);
	if (own !== '') return own;
	const address = typeof url === 'string' ? url.replace(/^\w+:\/\/[^/?#]*|[?#].*/gs, '') : '';
	const parts = [address, projectId, createdAt, id].map(toText);
	// The first character keeps it apart from the IDs.
	return parts.some((part) => part !== '') ? `\u0000${parts.join('\n')}` : undefined;
}

/** Entries of different projects may have the same ID. */
export function getEntryKey(entry: IDataObject): string {
	return `${toText(entry.projectId)}\n${identifyEntry(entry) ?? JSON.stringify(entry)}`;
}

/** What tells the videos of two accounts apart that number theirs alike. */
export function getPrint({ createdAt, url }: IDataObject): string {
	return `${toText(createdAt)} ${toText(url).replace(/\?.*/s, '')}`;
}

/** A date since the year 2000 in the form of most services: but for their zones, these sort like text. */
const ISO_DATE =
	/^2\d\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-][01]\d:?[0-5]\d)$/;

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Tells whether a date in that form is at or before a time, of almost all that are: to parse each date of a long list
 * takes as long as the list. Dates in UTC are compared with the time, and those of other zones with the day before it.
 */
export function createIsAtOrBefore(time: number): (createdAt: unknown) => boolean {
	if (!(time > DAY_MS && time < MAX_LOG_TIME)) return () => false;
	const latest = new Date(time).toISOString();
	const dayBefore = new Date(time - DAY_MS).toISOString();
	return (createdAt) =>
		typeof createdAt === 'string' &&
		createdAt < (createdAt.endsWith('Z') ? latest : dayBefore) &&
		ISO_DATE.test(createdAt);
}

/** Other dates can be confused: JavaScript reads 05.07.2026 as May 7. */
const BEGINS_WITH_YEAR = /^\d{4}([-/.])\d\d?\1\d\d?(?!\d)/;
const NAMES_MONTH_AND_YEAR =
	/^(?=.*\b\d{4}\b).*\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b/i;

/** A date that ends like this names its zone, which JavaScript explains; one that ends in a word, such as GMT, may too. */
const HAS_ZONE = /(Z|:[^+-]{2,20}[+-]\d\d:?\d\d)( \(.*\))?$/i;

/** A zone in hours alone, as PostgreSQL writes it, which `Date.parse` doesn't take. */
const HAS_HOUR_ZONE = /:\d\d(\.\d+)?[+-]\d\d$/;

/** Unix time, as a number or a text: in seconds since 2001, or in milliseconds. */
const UNIX_TIME = /^(\d{10}|\d{13})(\.\d+)?$/;

/** Longer texts are not dates, and parsing them may be slow. */
const MAX_DATE_LENGTH = 100;

/** The year 2109. Services write "never" as a date far in the future. */
const MAX_LOG_TIME = 2 ** 42;

/** Whether a value is a time of the log in milliseconds since 1970, or 0 or -1, which stand for none. */
export function isTime(value: unknown): value is number {
	return Number.isInteger(value) && Number(value) >= -1 && Number(value) < MAX_LOG_TIME;
}

/**
 * The time in an entry of the video log (specification, "Video log"), in milliseconds since 1970. Without a time zone, it
 * is in UTC, wherever n8n runs. Undefined for what is no date, or one that no video can have: 1970 or earlier, as an unset
 * date looks, and after 2109.
 */
export function parseLogTime(createdAt: unknown): number | undefined {
	const text = toText(createdAt);
	if (text.length > MAX_DATE_LENGTH) return undefined;
	let time = NaN;
	if (ISO_DATE.test(text)) time = Date.parse(text);
	else if (UNIX_TIME.test(text)) {
		time = Math.floor(Number(text) * (Number(text) < 1e10 ? 1000 : 1));
	} else if (typeof createdAt === 'string') time = parseDate(text);
	return time > 0 && time < MAX_LOG_TIME ? time : undefined;
}

function parseDate(trimmed: string): number {
	if (!BEGINS_WITH_YEAR.test(trimmed) && !NAMES_MONTH_AND_YEAR.test(trimmed)) return NaN;
	if (trimmed.endsWith('Z')) return Date.parse(trimmed);
	const text = HAS_HOUR_ZONE.test(trimmed) ? `${trimmed}:00` : trimmed;
	const inUtc = /[AP]M$/i.test(text) ? `${text} Z` : `${text}Z`;
	return (HAS_ZONE.test(text) ? NaN : Date.parse(inUtc)) || Date.parse(text);
}

export interface DatedVideo {
	video: IDataObject;
	time: number | undefined;
}

/** The entries of the log, those without a readable date last. */
export function sortNewestFirst(log: readonly unknown[]): DatedVideo[] {
	return log
		.filter(isObject)
		.map((video) => ({ video, time: parseLogTime(video.createdAt) }))
		.sort((a, b) => (b.time ?? 0) - (a.time ?? 0));
}

/** Whether a video is of one of these projects; of any, if there are none. */
export function isOfProjects({ projectId }: IDataObject, projectIds: readonly string[]): boolean {
	return projectIds.length === 0 || projectIds.includes(toText(projectId));
}

/** The entry of these projects with the latest date. */
export function findNewestVideo(log: readonly unknown[], projectIds: readonly string[]) {
	const isShown = ({ video }: DatedVideo) =>
		identifyEntry(video) !== undefined && isOfProjects(video, projectIds);
	return sortNewestFirst(log).find(isShown)?.video;
}

/** Dates of one thing may differ by so much: some are written without fractions of a second. */
const SAME_DATE_MS = 1_000;

/** Whether two dates are known, and of two things. */
export function areKnownToDiffer(one = NaN, other = NaN): boolean {
	return Math.abs(one - other) >= SAME_DATE_MS;
}

/** Adds a value to those of a key. */
export function addTo<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
	const values = map.get(key);
	if (values) values.push(value);
	else map.set(key, [value]);
}

/** A shorter name, such as 17, may stand in an entry by chance. */
export const MIN_NAME_LENGTH = 16;

/** Whether a field of an entry is a name, or its address holds it anywhere. */
function mayName(entry: IDataObject, name: string): boolean {
	for (const field in entry) {
		const value = entry[field];
		if (value === name || (typeof value === 'number' && `${value}` === name)) return true;
	}
	return typeof entry.url === 'string' && entry.url.includes(name);
}

/** Finds things that entries name. */
export class EntryNames<Thing> {
	private readonly things = new Map<string, Thing[]>();
	/** Most texts of an entry are of another length: only the others are looked up. */
	private readonly lengths = new Set<number>();
	/** The name, if there is only one. */
	private readonly only: string | undefined;

	constructor(things: readonly Thing[], listNames: (thing: Thing) => string[]) {
		for (const thing of things) {
			for (const name of listNames(thing)) {
				addTo(this.things, name, thing);
				this.lengths.add(name.length);
			}
		}
		if (this.things.size === 1) [this.only] = this.things.keys();
	}

	/** The things whose name is a field of the entry, or a segment of its address's path, with or without an extension. */
	find(entry: IDataObject): readonly Thing[] {
		if (this.things.size === 0) return [];
		// Where one item is waited for, this is faster than to look each text of a long list up.
		if (this.only !== undefined && !mayName(entry, this.only)) return [];
		for (const field in entry) {
			const value = entry[field];
			// The service may write IDs as text in one place, and as numbers in another. JavaScript rounds longer ones.
			const text = Number.isSafeInteger(value) ? `${value as number}` : value;
			const found = typeof text === 'string' && this.lookUp(text, 0, text.length);
			if (found) return found;
		}
		const url = typeof entry.url === 'string' ? entry.url : '';
		const pathEnd = url.search(/[?#]|$/);
		for (let [start, end] = [0, 0]; start <= pathEnd; start = end + 1) {
			end = url.indexOf('/', start);
			if (end < 0 || end > pathEnd) end = pathEnd;
			for (let to = end; to - start >= MIN_NAME_LENGTH; to = url.lastIndexOf('.', to - 1)) {
				const found = this.lookUp(url, start, to);
				if (found) return found;
			}
		}
		return [];
	}

	private lookUp(text: string, start: number, end: number): Thing[] | undefined {
		return this.lengths.has(end - start) ? this.things.get(text.slice(start, end)) : undefined;
	}
}
