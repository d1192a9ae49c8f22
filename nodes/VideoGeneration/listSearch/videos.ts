import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { tryToParseDateTime } from 'n8n-workflow';
import { fetchVideoLog } from '../api/endpoints';
import { toText } from '../api/response';
import { sortNewestFirst } from '../api/videoLog';
import { fetchForEditor, isExpression, listProjects } from './projects';

/** A person looks through no more. */
const MAX_SHOWN = 100;

/** The newest videos for a picker. @param filter part of a project's name or of a date, or an ID */
export async function searchVideos(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const [entries, projects] = await fetchForEditor(
		this,
		async (service, options) =>
			await Promise.all([fetchVideoLog(service, options), listProjects(service, options)]),
	);
	const names = new Map(projects.map(({ name, value }) => [value, name]));
	const getProject = ({ projectId }: IDataObject) =>
		names.get(toText(projectId)) ?? toText(projectId);
	const wanted = filter.trim().toLowerCase();
	const isWanted = (video: IDataObject) =>
		toText(video.id).toLowerCase() === wanted ||
		`${toText(video.createdAt)} ${getProject(video)}`.toLowerCase().includes(wanted);
	const results = sortNewestFirst(entries)
		.filter(({ video }) => toText(video.id) !== '' && !isExpression(toText(video.id)))
		.filter(({ video }) => isWanted(video))
		.slice(0, MAX_SHOWN)
		.map(({ video, time }) => ({
			name: [formatTime(time, this.getTimezone()), getProject(video)].filter(Boolean).join(', '),
			value: toText(video.id),
		}));
	return { results };
}

function formatTime(time: number | undefined, timeZone: string): string {
	if (time === undefined) return 'Without a date';
	return tryToParseDateTime(new Date(time), timeZone).toFormat('yyyy-MM-dd HH:mm:ss');
}
