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
			description: 'The project to make a video of. Most videos cost 1 credit, some projects more.',
		},
		{
			displayName: 'Overwrite Settings',
			name: 'overwriteSettings',
			type: 'boolean',
			default: false,
			description:
				'Whether to use the settings given here instead of those saved in the project. Needs a custom prompt.',
		},
		{
			displayName: 'Custom Prompt',
			name: 'customPrompt',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			placeholder: 'e.g. A sunrise over the sea, calm music',
			description:
				"What the video is to show, instead of the project's own prompt. Required when Overwrite Settings is on, otherwise the project's prompt is used when this is empty.",
		},
		{
			displayName: 'Wait for Completion',
			name: 'waitForCompletion',
			type: 'boolean',
			default: false,
			description:
				'Whether to wait until the video is finished and return it with its address. All items wait at the same time.',
		},
		{ ...waitOptions, displayOptions: { show: { waitForCompletion: [true] } } },
	],
);
