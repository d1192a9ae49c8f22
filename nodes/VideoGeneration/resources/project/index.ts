import type { INodeProperties } from 'n8n-workflow';
import { READ_PROJECTS } from '../../request/operationPolicies';
import { prepareRequest } from '../../request/prepareRequest';
import { checkLimit } from '../../request/steps/checkLimit';
import { checkList } from '../../request/steps/checkReply';
import { limitItems } from '../../request/steps/limitItems';
import { setProjectOrder } from '../../request/steps/setProjectOrder';
import { takeList } from '../../request/steps/takeList';
import { getAllFields } from './getAll';

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
				description: 'List the projects that videos can be made from, which costs nothing',
				routing: {
					request: { method: 'GET', url: '/v1/projects' },
					send: {
						paginate: true,
						preSend: [prepareRequest(READ_PROJECTS, checkLimit, setProjectOrder)],
					},
					output: { postReceive: [checkList, takeList('projects'), limitItems] },
				},
			},
		],
	},
	...getAllFields,
];
