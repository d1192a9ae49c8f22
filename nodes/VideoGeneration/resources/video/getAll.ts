import type { IDataObject, IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';
import { tryToParseDateTime } from 'n8n-workflow';
import { ENDPOINTS, fetchVideoLog } from '../../api/endpoints';
import { type DatedVideo, putFirst, sortNewestFirst } from '../../api/videoLog';
import { toText } from '../../api/response';
import type { Operation } from '../../item/job';
import {
	CHECK_EXPRESSION,
	getCollection,
	getLimit,
	getId,
	refuse,
	requireGiven,
	toDateText,
} from '../../item/parameters';
import { limitFields, projectLocator } from '../fields';

const filtersField: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add filter',
	default: {},
	options: [
		{
			displayName: 'Created After',
			name: 'createdAfter',
			type: 'dateTime',
			default: '',
			description:
				"Return only videos that were finished after this time. Without a time zone, it is in the workflow's.",
		},
		{
			displayName: 'Created Before',
			name: 'createdBefore',
			type: 'dateTime',
			default: '',
			description:
				"Return only videos that were finished before this time. Without a time zone, it is in the workflow's.",
		},
		{ ...projectLocator, description: 'Return only videos of this project' },
	],
};

/** Video > Get Many (specification, "GET /v1/videos"). The API has no parameters, so the node filters. */
export const getAll: Operation<{ limit: number; filter: VideoFilter }> = {
	name: 'Get Many',
	action: 'Get many videos',
	description: 'List finished videos, newest first',
	request: ENDPOINTS.listVideos,
	fields: [...limitFields, filtersField],
	prepare: (context) => ({ limit: getLimit(context), filter: getFilter(context) }),

	async perform({ api, open, order: { limit, filter } }) {
		const { entries } = await fetchVideoLog(await open(), api);
		const videos = selectVideos(entries, filter).slice(0, limit);
		return videos.map((video) => ({ json: putFirst(video) }));
	},
};

interface VideoFilter {
	/** '' for all projects. */
	projectId: string;
	/** Milliseconds since 1970, both exclusive. */
	createdAfter: number | undefined;
	createdBefore: number | undefined;
}

function getFilter(context: IExecuteSingleFunctions): VideoFilter {
	const filters = getCollection(context, 'filters');
	// A filter that is there without a value does not select everything: it may be a misspelt field.
	const projectId = getId(context, 'filters.projectId', 'Project');
	const whatToDo = `Choose a project under 'Filters', or remove the filter. ${CHECK_EXPRESSION}`;
	if ('projectId' in filters) requireGiven(context, projectId, 'Project', whatToDo);
	const getTime = (name: string, label: string) => {
		if (!(name in filters)) return undefined;
		const whatToDo = `Enter a date such as 2026-01-31T12:00:00, or remove the filter. ${CHECK_EXPRESSION}`;
		const time = parseDateTime(filters[name], context.getTimezone());
		return time ?? refuse(context, label, 'a date', whatToDo);
	};
	return {
		projectId,
		createdAfter: getTime('createdAfter', 'Created After'),
		createdBefore: getTime('createdBefore', 'Created Before'),
	};
}

/** A date, and a time without a zone. n8n reads other forms in this machine's zone. */
const LOCAL_TIME = /^\S{10}(?:[T ]\d\d(?::\d\d(?::\d\d(?:[.,]\d+)?)?)?)?$/;
const HAS_ZONE = /(?:[Zz]|[+-]\d\d(?::?\d\d)?|[A-Z]{3,5}|\/\w+|\])$/;

/** A date as n8n's field or an expression gives it, in milliseconds since 1970; without a zone, in the workflow's. */
export function parseDateTime(value: unknown, timeZone: string): number | undefined {
	// Sheets write hours before 10 with one digit.
	const text = toText(toDateText(value)).replace(/(?<=^\S{10}[T ])(?=\d:)/, '0');
	const [day] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
	if (day === undefined || !(LOCAL_TIME.test(text) || HAS_ZONE.test(text))) return undefined;
	try {
		const time = tryToParseDateTime(text, timeZone);
		// A day that does not exist, such as February 30, must not become another one.
		return time.toISODate() === day ? time.toMillis() : undefined;
	} catch {
		return undefined;
	}
}

/** The video logs that a filter selects, newest first; a date selects none whose own date cannot be read. */
export function selectVideos(
	log: readonly unknown[],
	{ projectId, createdAfter, createdBefore }: VideoFilter,
): IDataObject[] {
	const isSelected = ({ video, time = NaN }: DatedVideo) =>
		(projectId === '' || toText(video.projectId) === projectId) &&
		(createdAfter === undefined || time > createdAfter) &&
		(createdBefore === undefined || time < createdBefore);
	return sortNewestFirst(log)
		.filter(isSelected)
		.map(({ video }) => video);
}
