import { ENDPOINTS, fetchAccount } from '../api/endpoints';
import type { Operation } from '../item/job';
import { declareRequest, describeResource, optionsField } from './fields';

/** Account > Get (specification, "GET /v1/user/account"). */
const get: Operation = {
	requestKind: 'read',
	routing: declareRequest(ENDPOINTS.getAccount),
	fields: [optionsField],
	prepare: () => undefined,
	perform: async ({ api, open }) => [{ json: await fetchAccount(await open(), api) }],
};

export const accountOperations = { get };

export const accountProperties = describeResource('account', accountOperations, 'get', [
	{
		name: 'Get',
		value: 'get',
		action: 'Get account with remaining credits',
		description: 'Show the account with its remaining credits',
	},
]);
