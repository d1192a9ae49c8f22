import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { requireObject } from '../api/response';
import type { Operation } from '../execution/job';
import { createOperationField, optionsField } from './fields';
import { checkObject, createPostReceive } from './steps';

/** Account > Get (specification, "GET /v1/user/account"). */
const get: Operation = {
	requestKind: 'read',
	routing: {
		request: { method: 'GET', url: '/v1/user/account' },
		send: { paginate: true },
		output: { postReceive: [checkObject, createPostReceive(unwrapAccount)] },
	},
};

/** The account without its envelope. */
function unwrapAccount(body: IDataObject): IDataObject[] {
	const account = { ...body };
	delete account.status;
	delete account.message;
	requireObject(account, 'usage');
	return [account];
}

export const accountOperations = { get };

export const accountProperties: INodeProperties[] = [
	createOperationField('account', 'get', [
		{
			name: 'Get',
			value: 'get',
			action: 'Get account with remaining credits',
			description: 'Show the account with its remaining credits, which is free',
			routing: get.routing,
		},
	]),
	...updateDisplayOptions({ show: { resource: ['account'], operation: ['get'] } }, [optionsField]),
];
