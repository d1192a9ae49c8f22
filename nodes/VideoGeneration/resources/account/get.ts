import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { optionsField } from '../optionsField';

export const getFields: INodeProperties[] = updateDisplayOptions(
	{ show: { resource: ['account'], operation: ['get'] } },
	[optionsField],
);
