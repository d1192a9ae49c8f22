import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { limitFields } from '../limitFields';
import { optionsField } from '../optionsField';
import { projectLocator } from '../projectLocator';

export const getAllFields: INodeProperties[] = updateDisplayOptions(
	{ show: { resource: ['video'], operation: ['getAll'] } },
	[
		...limitFields,
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add filter',
			default: {},
			options: [
				{
					displayName: 'Created After',
					name: 'createdAfter',
					type: 'dateTime',
					default: '',
					description: 'Return only videos that were finished after this time',
				},
				{
					displayName: 'Created Before',
					name: 'createdBefore',
					type: 'dateTime',
					default: '',
					description: 'Return only videos that were finished before this time',
				},
				{ ...projectLocator, description: 'Return only videos of this project' },
			],
		},
		optionsField,
	],
);
