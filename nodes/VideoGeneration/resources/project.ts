import type {
	IDataObject,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { isObject, requireList } from '../api/response';
import type { Operation } from '../execution/job';
import { getCollection, getLimit, requireText } from '../execution/parameters';
import { sendDeclaredRequest } from '../execution/runItems';
import { createOperationField, createOptionsField, limitFields, maxTriesOption } from './fields';
import { checkList, createPostReceive, createPreSend } from './steps';

const getAllFields: INodeProperties[] = updateDisplayOptions(
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
const getAll: Operation = {
	requestKind: 'read',
	routing: {
		request: { method: 'GET', url: '/v1/projects' },
		send: { paginate: true, preSend: [createPreSend(setQuery)] },
		output: { postReceive: [checkList, createPostReceive(listProjects)] },
	},
	texts: { fields: "'Sort By' and 'Sort Order'" },

	async perform(job) {
		const limit = getLimit(job.context);
		return (await sendDeclaredRequest(job)).slice(0, limit);
	},
};

/** `sort` and `order`, each only when it is chosen. */
function setQuery(context: IExecuteSingleFunctions, request: IHttpRequestOptions): void {
	const options = getCollection(context, 'options');
	const sort = requireText(context, options.sort, 'Sort By');
	const order = requireText(context, options.order, 'Sort Order');
	request.qs = { ...(sort && { sort }), ...(order && { order }) };
}

function listProjects(body: IDataObject): IDataObject[] {
	return requireList(body, 'projects').filter(isObject);
}

export const projectOperations = { getAll };

export const projectProperties: INodeProperties[] = [
	createOperationField('project', 'getAll', [
		{
			name: 'Get Many',
			value: 'getAll',
			action: 'Get many projects',
			description: 'List the projects that videos can be made from, which is free',
			routing: getAll.routing,
		},
	]),
	...getAllFields,
];
