import type { IExecuteSingleFunctions, IHttpRequestOptions, INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import type { Operation } from '../../execution/job';
import { getCollection, getLimit } from '../../execution/parameters';
import { createOptionsField, limitFields, maxTriesOption } from '../fields';
import { checkList, limitItems, unwrapList } from '../responseSteps';

export const getAllFields: INodeProperties[] = updateDisplayOptions(
	{ show: { resource: ['project'], operation: ['getAll'] } },
	[
		...limitFields,
		createOptionsField(
			maxTriesOption,
			{
				displayName: 'Sort By',
				name: 'sort',
				type: 'options',
				options: [
					{ name: 'Created At', value: 'createdAt' },
					{ name: 'Updated At', value: 'updatedAt' },
				],
				default: 'updatedAt',
				description: 'The date to sort the projects by',
			},
			{
				displayName: 'Sort Order',
				name: 'order',
				type: 'options',
				options: [
					{ name: 'Newest First', value: 'desc' },
					{ name: 'Oldest First', value: 'asc' },
				],
				default: 'desc',
				description: 'Which projects to return first',
			},
		),
	],
);

/** Project > Get Many (specification, "GET /v1/projects"). */
export const getAll: Operation = {
	requestKind: 'read',
	routing: {
		request: { method: 'GET', url: '/v1/projects' },
		send: { paginate: true, preSend: [setQuery] },
		output: { postReceive: [checkList, unwrapList('projects'), limitItems] },
	},
	texts: { fields: "'Sort By' and 'Sort Order'" },
};

/** `sort` and `order`, each only when it is chosen. */
async function setQuery(
	this: IExecuteSingleFunctions,
	request: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	getLimit(this);
	const { sort, order } = getCollection(this, 'options');
	const query = { ...(sort ? { sort } : {}), ...(order ? { order } : {}) };
	request.qs = query;
	return await Promise.resolve(request);
}
