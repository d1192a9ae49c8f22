import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { options } from '../maxTriesOption';
import { queueIdField } from './queueIdField';

export const clearFields: INodeProperties[] = updateDisplayOptions(
	{ show: { resource: ['queue'], operation: ['clear'] } },
	[
		{
			...queueIdField,
			description: 'The queueId of the queue item to remove for good. This cannot be undone.',
		},
		options,
	],
);
