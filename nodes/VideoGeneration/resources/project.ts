import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { ENDPOINTS, fetchProjects } from '../api/endpoints';
import type { Operation } from '../item/job';
import { getCollection, getLimit, requireText } from '../item/parameters';
import { limitFields } from './fields';

const sortField: INodeProperties = {
	displayName: 'Sort',
	name: 'sort',
	type: 'collection',
	placeholder: 'Add sorting',
	default: {},
	options: [
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
	],
};

/** Project > Get Many (specification, "GET /v1/projects"). */
export const getAllProjects: Operation<{ query: IDataObject; limit: number }> = {
	name: 'Get Many',
	action: 'Get many projects',
	description: 'List the projects that videos can be made from',
	request: ENDPOINTS.listProjects,
	fields: limitFields,
	sort: sortField,
	texts: { fields: "'Sort By' and 'Sort Order'" },

	prepare(context) {
		const sorting = getCollection(context, 'sort');
		const sort = requireText(context, sorting.sort, 'Sort By');
		const direction = requireText(context, sorting.order, 'Sort Order');
		// Each only when it is chosen.
		const query = { ...(sort && { sort }), ...(direction && { order: direction }) };
		return { query, limit: getLimit(context) };
	},

	async perform({ api, open, order: { query, limit } }) {
		const projects = await fetchProjects(await open(), query, api);
		return projects.slice(0, limit).map((json) => ({ json }));
	},
};
