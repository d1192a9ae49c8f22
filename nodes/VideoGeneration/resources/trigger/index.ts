import type { INodeProperties } from 'n8n-workflow';
import { createOptionsField } from '../optionsField';

export const triggerProperties: INodeProperties[] = [
	{
		displayName: 'Project Names or IDs',
		name: 'projectIds',
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod: 'getProjects' },
		default: [],
		description:
			'The projects whose videos start the workflow. Leave it empty for all of them. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	},
	createOptionsField(
		{
			displayName: 'Download Video',
			name: 'downloadVideo',
			type: 'boolean',
			default: false,
			description:
				'Whether to download the file of each video. A video whose file cannot be had still starts the workflow, with the reason in downloadError.',
		},
		{
			displayName: 'Emit Existing Videos',
			name: 'emitExisting',
			type: 'boolean',
			default: false,
			description:
				'Whether the workflow also starts for the videos that are finished already when it is published, instead of only for later ones',
		},
		{
			displayName: 'Put Output File in Field',
			name: 'binaryPropertyName',
			type: 'string',
			default: 'data',
			displayOptions: { show: { downloadVideo: [true] } },
			hint: 'The name of the output binary field to put the file in',
			description:
				'Most nodes that take a file look for it in the field data, unless they are told another name',
		},
	),
];
