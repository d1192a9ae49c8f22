import type {
	IDataObject,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { parseLogTime } from '../../api/logTime';
import { toText } from '../../api/response';
import type { Operation } from '../../execution/operation';
import {
	createInputError,
	getCollection,
	getLimit,
	parseDateTime,
	parseProjectId,
} from '../../execution/parameters';
import { limitFields, optionsField, projectLocator } from '../fields';
import { checkList, limitItems, unwrapList } from '../responseSteps';

export const getAllFields: INodeProperties[] = updateDisplayOptions(
	{ show: { resource: ['video'], operation: ['getAll'] } },
	[
		...limitFields,
		{
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
					description: 'Return only videos that were finished after this time',
				},
				{
					displayName: 'Created Before',
					name: 'createdBefore',
					type: 'dateTime',
					default: '',
					description: 'Return only videos that were finished before this time',
				},
				{ ...projectLocator, description: 'Return only videos of this project' },
			],
		},
		optionsField,
	],
);

/** Video > Get Many (specification, "GET /v1/videos"). The API has no parameters, so the node filters. */
export const getAll: Operation = {
	requestKind: 'read',
	routing: {
		request: { method: 'GET', url: '/v1/videos' },
		send: { paginate: true, preSend: [checkParameters] },
		output: { postReceive: [checkList, unwrapList('videos'), filterVideos, limitItems] },
	},
};

interface VideoFilter {
	/** '' for all projects. */
	projectId: string;
	/** Milliseconds since 1970, both exclusive. */
	createdAfter: number | undefined;
	createdBefore: number | undefined;
}

/** Finds a parameter that cannot be used before the request, not after it. */
async function checkParameters(
	this: IExecuteSingleFunctions,
	request: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	getLimit(this);
	getFilter(this);
	return await Promise.resolve(request);
}

/** "Filters". @throws a NodeOperationError that names the field */
function getFilter(context: IExecuteSingleFunctions): VideoFilter {
	const { projectId, createdAfter, createdBefore } = getCollection(context, 'filters');
	return {
		projectId: parseProjectId(context, projectId),
		createdAfter: getTime(context, 'Created After', createdAfter),
		createdBefore: getTime(context, 'Created Before', createdBefore),
	};
}

function getTime(
	context: IExecuteSingleFunctions,
	field: string,
	value: unknown,
): number | undefined {
	if (value === undefined || value === null || value === '') return undefined;
	const time = parseDateTime(value, context.getTimezone());
	if (time !== undefined) return time;
	throw createInputError(
		context,
		`"${field}" must be a date`,
		`Enter a date such as 2026-01-31T12:00:00 in "${field}" under Filters, or remove the filter.`,
	);
}

async function filterVideos(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	const videos = items.map(({ json }) => json);
	return await Promise.resolve(
		selectVideos(videos, getFilter(this)).map((json) => ({ json: putFirst(json) })),
	);
}

/**
 * The video logs that a filter selects, newest first (specification, "Video log"). A log whose
 * `createdAt` cannot be read comes last, and is never selected by a date.
 */
export function selectVideos(
	videos: IDataObject[],
	{ projectId, createdAfter, createdBefore }: VideoFilter,
): IDataObject[] {
	const isDated = createdAfter !== undefined || createdBefore !== undefined;
	const isSelected = ({ video, time }: { video: IDataObject; time: number }) =>
		(projectId === '' || toText(video.projectId) === projectId) &&
		(!isDated || time > -Infinity) &&
		(createdAfter === undefined || time > createdAfter) &&
		(createdBefore === undefined || time < createdBefore);
	return videos
		.map((video) => ({ video, time: parseLogTime(video.createdAt) ?? -Infinity }))
		.filter(isSelected)
		.sort((a, b) => (a.time === b.time ? 0 : b.time - a.time))
		.map(({ video }) => video);
}

/** What people use comes first. */
function putFirst(video: IDataObject): IDataObject {
	const { id, projectId, url } = video;
	return { ...{ id, projectId, url }, ...video };
}
