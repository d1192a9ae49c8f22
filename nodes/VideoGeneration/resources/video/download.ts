import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { maxTriesOption } from '../maxTriesOption';
import { createOptionsField } from '../optionsField';

export const downloadFields: INodeProperties[] = updateDisplayOptions(
	{ show: { resource: ['video'], operation: ['download'] } },
	[
		{
			displayName: 'Video URL',
			name: 'videoUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. {{ $json.url }}',
			description:
				'The address of the finished video: the URL that Video > Get Many returns, or the videoUrl of a wait. The API key is not sent there.',
		},
		{
			displayName: 'Put Output File in Field',
			name: 'binaryPropertyName',
			type: 'string',
			required: true,
			default: 'data',
			hint: 'The name of the output binary field to put the file in',
			description:
				'Most nodes that take a file look for it in the field data, unless they are told another name',
		},
		createOptionsField(
			{
				displayName: 'File Name',
				name: 'fileName',
				type: 'string',
				default: '',
				placeholder: 'e.g. product-teaser.mp4',
				description:
					'What to call the file. If it is empty, the file is named by its address. A name without an extension gets that of the video.',
			},
			maxTriesOption,
		),
	],
);
