import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { projectLocator } from '../projectLocator';
import { waitOptions } from './waitOptions';

export const addFields: INodeProperties[] = updateDisplayOptions(
	{ show: { resource: ['queue'], operation: ['add'] } },
	[
		{
			...projectLocator,
			required: true,
			description:
				'The project to make the video from. Most videos cost 1 credit, those of some projects more.',
		},
		{
			displayName: 'Overwrite Settings',
			name: 'overwriteSettings',
			type: 'boolean',
			default: false,
			description:
				"Whether what is set here replaces the settings saved in the project. 'Custom Prompt' is required then.",
		},
		{
			displayName: 'Custom Prompt',
			name: 'customPrompt',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			placeholder: 'e.g. A sunrise over the sea, calm music',
			description:
				"What the video is to show, instead of the project's own prompt. Leave it empty to use the project's prompt. Required when 'Overwrite Settings' is on.",
		},
		{
			displayName: 'Wait for Completion',
			name: 'waitForCompletion',
			type: 'boolean',
			default: false,
			description:
				'Whether to wait until the video is finished and return it with its address, instead of returning the queue item at once. All items wait at the same time.',
		},
		{ ...waitOptions, displayOptions: { show: { waitForCompletion: [true] } } },
	],
);
