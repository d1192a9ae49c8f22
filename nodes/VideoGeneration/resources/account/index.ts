import type { INodeProperties } from 'n8n-workflow';
import { get, getFields } from './get';

export const accountOperations = { get };

export const accountProperties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['account'] } },
		default: 'get',
		options: [
			{
				name: 'Get',
				value: 'get',
				action: 'Get account with remaining credits',
				description: 'Show the account with its remaining credits, which is free',
				routing: get.routing,
			},
		],
	},
	...getFields,
];
