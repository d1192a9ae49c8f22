import type { INodeProperties } from 'n8n-workflow';
import { maxTriesOption } from './maxTriesOption';

/** "Options", the last field of an operation and of the trigger. */
export function createOptionsField(...options: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options,
	};
}

/** "Options" of an operation that has no others. */
export const optionsField = createOptionsField(maxTriesOption);
