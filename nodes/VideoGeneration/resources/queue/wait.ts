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
				'The project that the video is made from, so that the finished video can be told from those of other projects. If it is empty, the video may be any one that is finished in the meantime.',
		},
		waitOptions,
	],
);
