import type { IDataObject } from 'n8n-workflow';
import { readText } from '../request/readText';
import type { LoggedVideo } from './matchVideos';

/**
 * The video log as it was read again and again: each read has a number, and each entry that of the
 * read which showed it first. So it is known of an entry that it was not there before.
 */
export class VideoLogReads {
	private readonly seen = new Map<string, LoggedVideo>();

	/** How many times the log was read. */
	count = 0;

	/** The entries of the last read. */
	videos: LoggedVideo[] = [];

	add(entries: IDataObject[]): void {
		this.count += 1;
		this.videos = entries.map((entry) => {
			const id = readText(entry.id) || JSON.stringify(entry);
			const known = this.seen.get(id) ?? { ...readEntry(entry), firstSeenRead: this.count };
			this.seen.set(id, known);
			return known;
		});
	}
}

function readEntry(entry: IDataObject): Omit<LoggedVideo, 'firstSeenRead'> {
	return { entry, projectId: readText(entry.projectId), createdAt: readTime(entry.createdAt) };
}

/** @returns milliseconds since 1970, or undefined when it is not a date */
export function readTime(value: unknown): number | undefined {
	const time = typeof value === 'string' ? Date.parse(value) : NaN;
	return Number.isNaN(time) ? undefined : time;
}
