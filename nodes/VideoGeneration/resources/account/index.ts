import type { INodeProperties } from 'n8n-workflow';
import { READ } from '../../request/operationPolicies';
import { prepareRequest } from '../../request/prepareRequest';
import { checkReply } from '../../request/steps/checkReply';
import { takeAccount } from '../../request/steps/takeAccount';
import { getFields } from './get';

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
				action: 'Get the account and its remaining credits',
				description: 'Read the account with its remaining credits, which costs nothing',
				routing: {
					request: { method: 'GET', url: '/v1/user/account' },
					send: { paginate: true, preSend: [prepareRequest(READ)] },
					output: { postReceive: [checkReply, takeAccount] },
				},
			},
		],
	},
	...getFields,
];
