import type { ILoadOptionsFunctions } from 'n8n-workflow';
import { tryToParseDateTime } from 'n8n-workflow';
import { fetchVideoLog } from '../api/endpoints';
import { toText } from '../api/response';
import { type DatedVideo, sortNewestFirst } from '../api/videoLog';
import { toLine } from '../failures/texts';
import { canBeOffered, fetchForEditor, listProjects } from './projects';

/** A person looks through no more, and n8n would stand still while it writes more dates. */
const MAX_SHOWN = 100;
const MAX_SEARCHED = 10_000;

/** The newest videos for a picker. @param filter part of what it shows or of a date as the API has it, or an ID */
export async function searchVideos(this: ILoadOptionsFunctions, filter = '') {
	const [{ entries }, projects] = await fetchForEditor(
		this,
		async (service, options) =>
			await Promise.all([
				fetchVideoLog(service, options),
				// It has a limit of its own, and gives the names alone.
				listProjects(service, options).catch(() => []),
			]),
	);
	const names = new Map(projects.map(({ name, value }) => [value, name]));
	const timeZone = this.getTimezone();
	// The time says its zone: n8n gives a list that of the instance, not of the workflow.
	const formatTime = (time: number) =>
		tryToParseDateTime(new Date(time), timeZone).toFormat("yyyy-MM-dd HH:mm:ss 'GMT'Z");
	const getName = ({ video, time }: DatedVideo) => {
		const date = time === undefined ? 'Without a date' : formatTime(time);
		const projectId = toText(video.projectId);
		return [date, names.get(projectId) ?? toLine(projectId)].filter(Boolean).join(', ');
	};
	const wanted = filter.trim().toLowerCase();
	const isWanted = (dated: DatedVideo, index: number) =>
		toText(dated.video.id).toLowerCase() === wanted ||
		(index < MAX_SEARCHED &&
			`${toText(dated.video.createdAt)} ${getName(dated)}`.toLowerCase().includes(wanted));
	const results = sortNewestFirst(entries)
		.filter(({ video }) => canBeOffered(toText(video.id)))
		.filter((dated, index) => wanted === '' || isWanted(dated, index))
		.slice(0, MAX_SHOWN)
		.map((dated) => ({ name: getName(dated), value: toText(dated.video.id) }));
	return { results };
}
