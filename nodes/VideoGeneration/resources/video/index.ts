import type { INodeProperties } from 'n8n-workflow';
import { download, downloadFields } from './download';
import { getAll, getAllFields } from './getAll';

export const videoOperations = { download, getAll };

export const videoProperties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['video'] } },
		default: 'getAll',
		options: [
			{
				name: 'Download',
				value: 'download',
				action: 'Download video file',
				description: 'Download the file of a finished video, which is free',
				routing: download.routing,
			},
			{
				name: 'Get Many',
				value: 'getAll',
				action: 'Get many videos',
				description: 'List finished videos, newest first, which is free',
				routing: getAll.routing,
			},
		],
	},
	...downloadFields,
	...getAllFields,
];
