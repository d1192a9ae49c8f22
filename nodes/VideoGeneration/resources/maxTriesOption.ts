import type { INodeProperties } from 'n8n-workflow';
import { DEFAULT_MAX_TRIES } from '../request/requestDefaults';

/** The entry of "Options" that every operation which calls the API has. */
export const maxTriesOption: INodeProperties = {
	displayName: 'Max Tries',
	name: 'maxTries',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 10, numberPrecision: 0 },
	default: DEFAULT_MAX_TRIES,
	description:
		'How many times a request is sent at most when the service is busy or out of reach. A request that may already have cost a credit is never sent again.',
};
