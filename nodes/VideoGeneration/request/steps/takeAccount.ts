import type { IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';
import { getBody, requireField } from './requireField';

/** The account of "GET /v1/user/account" without its envelope. */
export async function takeAccount(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	const account = { ...getBody(items) };
	delete account.status;
	delete account.message;
	requireField(account, 'usage', 'object');
	return await Promise.resolve([{ json: account }]);
}
