import type { INodeProperties } from 'n8n-workflow';
import { getAll, getAllFields } from './getAll';

export const projectOperations = { getAll };

export const projectProperties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['project'] } },
		default: 'getAll',
		options: [
			{
				name: 'Get Many',
				value: 'getAll',
				action: 'Get many projects',
				description: 'List the projects that videos can be made from, which is free',
				routing: getAll.routing,
			},
		],
	},
	...getAllFields,
];
