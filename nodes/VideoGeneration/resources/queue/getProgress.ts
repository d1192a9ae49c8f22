import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { options } from '../maxTriesOption';
import { queueIdField } from './queueIdField';

export const getProgressFields: INodeProperties[] = updateDisplayOptions(
	{ show: { resource: ['queue'], operation: ['getProgress'] } },
	[queueIdField, options],
);
