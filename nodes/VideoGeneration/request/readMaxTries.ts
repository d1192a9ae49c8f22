import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { DEFAULT_MAX_TRIES } from './requestDefaults';

/** @throws a NodeOperationError that names the field, unless it is a whole number from 1 to 10 */
export function readMaxTries(context: IExecuteSingleFunctions): number {
	const maxTries = context.getNodeParameter('options.maxTries', DEFAULT_MAX_TRIES);
	const number = Number(maxTries);
	if (Number.isInteger(number) && number >= 1 && number <= 10) return number;
	throw new NodeOperationError(
		context.getNode(),
		'"Max Tries" is not a whole number from 1 to 10',
		{
			itemIndex: context.getItemIndex(),
			description: 'Correct "Max Tries" under Options. Nothing was sent for this item.',
		},
	);
}
