import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { limitFields } from '../limitFields';
import { maxTriesOption } from '../maxTriesOption';
import { createOptionsField } from '../optionsField';

export const getAllFields: INodeProperties[] = updateDisplayOptions(
	{ show: { resource: ['project'], operation: ['getAll'] } },
	[
		...limitFields,
		createOptionsField(
			maxTriesOption,
			{
				displayName: 'Sort By',
				name: 'sort',
				type: 'options',
				options: [
					{ name: 'Created At', value: 'createdAt' },
					{ name: 'Updated At', value: 'updatedAt' },
				],
				default: 'updatedAt',
				description: 'Which date of the projects to sort them by',
			},
			{
				displayName: 'Sort Order',
				name: 'order',
				type: 'options',
				options: [
					{ name: 'Newest First', value: 'desc' },
					{ name: 'Oldest First', value: 'asc' },
				],
				default: 'desc',
				description: 'Which projects to return first',
			},
		),
	],
);
