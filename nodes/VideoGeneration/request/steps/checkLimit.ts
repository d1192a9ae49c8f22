import { NodeOperationError } from 'n8n-workflow';
import type { RequestStep } from '../prepareRequest';

/** @throws a NodeOperationError when "Limit" applies and is not a whole number from 1 */
export const checkLimit: RequestStep = (context) => {
	if (context.getNodeParameter('returnAll', false) === true) return;
	const limit = Number(context.getNodeParameter('limit', 50));
	if (Number.isInteger(limit) && limit >= 1) return;
	throw new NodeOperationError(context.getNode(), '"Limit" is not a whole number from 1', {
		itemIndex: context.getItemIndex(),
		description: 'Correct "Limit", or turn "Return All" on.',
	});
};
