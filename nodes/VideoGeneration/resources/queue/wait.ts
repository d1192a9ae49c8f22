import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { projectLocator } from '../projectLocator';
import { waitOptions } from './waitOptions';

export const waitFields: INodeProperties[] = updateDisplayOptions(
	{ show: { resource: ['queue'], operation: ['wait'] } },
	[
		{
			...projectLocator,
			description:
				'The project of the queue item. The service ties a finished video to its project only: without it, the video can be told only while no other one is finished.',
		},
		waitOptions,
	],
);
