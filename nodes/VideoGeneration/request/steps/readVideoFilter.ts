import type { IExecuteSingleFunctions, INodeParameterResourceLocator } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import type { VideoFilter } from './selectVideos';
import { readText } from '../readText';
import { readDateTime } from './readDateTime';

interface FilterParameters {
	projectId?: INodeParameterResourceLocator | string;
	createdAfter?: unknown;
	createdBefore?: unknown;
}

/** @throws a NodeOperationError that names the date field that is no date */
export function readVideoFilter(context: IExecuteSingleFunctions): VideoFilter {
	const { projectId, createdAfter, createdBefore } = context.getNodeParameter(
		'filters',
		{},
	) as FilterParameters;
	const id = typeof projectId === 'object' ? projectId.value : projectId;
	return {
		projectId: readText(id) || undefined,
		createdAfter: readTime(context, 'Created After', createdAfter),
		createdBefore: readTime(context, 'Created Before', createdBefore),
	};
}

function readTime(
	context: IExecuteSingleFunctions,
	field: string,
	value: unknown,
): number | undefined {
	if (value === undefined || value === null || value === '') return undefined;
	const time = readDateTime(value, context.getTimezone());
	if (time !== undefined) return time;
	throw new NodeOperationError(context.getNode(), `"${field}" is not a date`, {
		itemIndex: context.getItemIndex(),
		description: `Enter a date such as 2026-01-31T12:00:00 in "${field}" under Filters, or remove the filter.`,
	});
}
