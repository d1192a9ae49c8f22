import { describeResource } from '../fields';
import { download } from './download';
import { generate } from './generate';
import { get } from './get';
import { getAll } from './getAll';

/** Agents read it. A constant, because the rule for sentence case would remove the brackets. */
const GENERATE_ACTION = 'Generate video (costs credits)';

export const videoOperations = { download, generate, get, getAll };

export const videoProperties = describeResource('video', videoOperations, 'generate', [
	{
		name: 'Download',
		value: 'download',
		action: 'Download video file',
		description: 'Download the file of a finished video',
	},
	{
		name: 'Generate',
		value: 'generate',
		action: GENERATE_ACTION,
		description: 'Generate a video from a project and return its file',
	},
	{
		name: 'Get',
		value: 'get',
		action: 'Get video',
		description: 'Show a finished video, with an address that is fresh',
	},
	{
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many videos',
		description: 'List finished videos, newest first',
	},
]);
