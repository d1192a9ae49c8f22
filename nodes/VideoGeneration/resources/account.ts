import { ENDPOINTS, fetchAccount } from '../api/endpoints';
import type { Operation } from '../item/job';
import { declareRequest, optionsField } from './fields';

/** Account > Get (specification, "GET /v1/user/account"). */
export const getAccount: Operation = {
	name: 'Get',
	action: 'Get account with remaining credits',
	description: 'Show the account with its remaining credits',
	routing: declareRequest(ENDPOINTS.getAccount),
	fields: [optionsField],
	prepare: () => undefined,
	perform: async ({ api, open }) => [{ json: await fetchAccount(await open(), api) }],
};
