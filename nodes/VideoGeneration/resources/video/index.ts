import type { INodeProperties } from 'n8n-workflow';
import { createOperationField } from '../fields';
import { download, downloadFields } from './download';
import { getAll, getAllFields } from './getAll';

export const videoOperations = { download, getAll };

export const videoProperties: INodeProperties[] = [
	createOperationField('video', 'getAll', [
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
	]),
	...downloadFields,
	...getAllFields,
];
