import type { IDataObject } from 'n8n-workflow';
import { readText } from '../readText';

const EARLIEST_TIME = -8.64e15;

export interface VideoFilter {
	projectId?: string | undefined;
	/** Milliseconds since 1970; only later video logs are let through. */
	createdAfter?: number | undefined;
	/** Milliseconds since 1970; only earlier video logs are let through. */
	createdBefore?: number | undefined;
}

/**
 * The video logs that a filter lets through, newest first (specification, "Video log").
 *
 * One whose `createdAt` cannot be read stands last, and no date filter lets it through.
 */
export function selectVideos(videos: IDataObject[], filter: VideoFilter): IDataObject[] {
	const { projectId, createdAfter = -Infinity, createdBefore = Infinity } = filter;
	const isDated = filter.createdAfter !== undefined || filter.createdBefore !== undefined;
	return videos
		.map((video) => ({ video, time: readTime(video) }))
		.filter(({ video }) => projectId === undefined || readText(video.projectId) === projectId)
		.filter(
			({ time }) =>
				!isDated || (time !== EARLIEST_TIME && time > createdAfter && time < createdBefore),
		)
		.sort((a, b) => b.time - a.time)
		.map(({ video }) => video);
}

/** The earliest time there can be, for a date that cannot be read. */
function readTime({ createdAt }: IDataObject): number {
	const time = typeof createdAt === 'string' ? Date.parse(createdAt) : NaN;
	return Number.isNaN(time) ? EARLIEST_TIME : time;
}
