import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { ENDPOINTS, fetchAccount } from '../api/endpoints';
import type { Operation } from '../item/job';
import { createOperationField, declareRequest, optionsField } from './fields';

/** Account > Get (specification, "GET /v1/user/account"). */
const get: Operation = {
	requestKind: 'read',
	routing: declareRequest(ENDPOINTS.getAccount),
	prepare: () => undefined,
	perform: async ({ api, open }) => [{ json: await fetchAccount(await open(), api) }],
};

export const accountOperations = { get };

export const accountProperties: INodeProperties[] = [
	createOperationField('account', 'get', [
		{
			name: 'Get',
			value: 'get',
			action: 'Get account with remaining credits',
			description: 'Show the account with its remaining credits',
			routing: get.routing,
		},
	]),
	...updateDisplayOptions({ show: { resource: ['account'], operation: ['get'] } }, [optionsField]),
];
