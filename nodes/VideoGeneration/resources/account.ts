import { ENDPOINTS, fetchAccount } from '../api/endpoints';
import type { Operation } from '../item/job';

/** Account > Get (specification, "GET /v1/user/account"). */
export const getAccount: Operation = {
	name: 'Get',
	action: 'Get account with remaining credits',
	description: 'Show the account with its remaining credits',
	request: ENDPOINTS.getAccount,
	fields: [],
	prepare: () => undefined,
	perform: async ({ api, open }) => [{ json: await fetchAccount(await open(), api) }],
};
