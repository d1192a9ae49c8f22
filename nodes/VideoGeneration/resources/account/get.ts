import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { options } from '../maxTriesOption';

export const getFields: INodeProperties[] = updateDisplayOptions(
	{ show: { resource: ['account'], operation: ['get'] } },
	[options],
);
