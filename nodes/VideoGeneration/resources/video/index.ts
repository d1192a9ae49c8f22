import type { INodeProperties } from 'n8n-workflow';
import { createOperationField } from '../fields';
import { download, downloadFields } from './download';
import { generate, generateFields } from './generate';
import { get, getFields } from './get';
import { getAll, getAllFields } from './getAll';

/** Agents read it. A constant, because the rule for sentence case would remove the brackets. */
const GENERATE_ACTION = 'Generate video (costs credits)';

export const videoOperations = { download, generate, get, getAll };

export const videoProperties: INodeProperties[] = [
	createOperationField('video', 'generate', [
		{
			name: 'Download',
			value: 'download',
			action: 'Download video file',
			description: 'Download the file of a finished video',
			routing: download.routing,
		},
		{
			name: 'Generate',
			value: 'generate',
			action: GENERATE_ACTION,
			description: 'Generate a video from a project and return its file',
			routing: generate.routing,
		},
		{
			name: 'Get',
			value: 'get',
			action: 'Get video',
			description: 'Show a finished video, with an address that is fresh',
			routing: get.routing,
		},
		{
			name: 'Get Many',
			value: 'getAll',
			action: 'Get many videos',
			description: 'List finished videos, newest first',
			routing: getAll.routing,
		},
	]),
	...downloadFields,
	...generateFields,
	...getFields,
	...getAllFields,
];
