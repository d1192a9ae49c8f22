import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { requireObject } from '../../api/response';
import type { Operation } from '../../execution/job';
import { optionsField } from '../fields';
import { checkObject, getBody } from '../responseSteps';

export const getFields: INodeProperties[] = updateDisplayOptions(
	{ show: { resource: ['account'], operation: ['get'] } },
	[optionsField],
);

/** Account > Get (specification, "GET /v1/user/account"). */
export const get: Operation = {
	requestKind: 'read',
	routing: {
		request: { method: 'GET', url: '/v1/user/account' },
		send: { paginate: true },
		output: { postReceive: [checkObject, unwrapAccount] },
	},
};

/** The account without its envelope. */
async function unwrapAccount(items: INodeExecutionData[]): Promise<INodeExecutionData[]> {
	const account = { ...getBody(items) };
	delete account.status;
	delete account.message;
	requireObject(account, 'usage');
	return await Promise.resolve([{ json: account }]);
}
