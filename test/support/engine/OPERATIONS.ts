import type { INodeParameters } from 'n8n-workflow';
import type { Operation } from '../../../sandbox/domain/model';

/** A project that the sandbox has from its start. */
export const PROJECT = 'project-product-teaser';

/** The value of a field like Project, with an ID or an expression. */
export const byId = (value: string) => ({ __rl: true, mode: 'id', value });

/** Parameters for each operation that calls the API, under the sandbox's name of its request. */
export const OPERATIONS = {
	'queue.add': {
		resource: 'queue',
		operation: 'add',
		projectId: byId(PROJECT),
	},
	'queue.getProgress': {
		resource: 'queue',
		operation: 'getProgress',
		queueId: '={{ $json.queueId }}',
	},
	'queue.clear': { resource: 'queue', operation: 'clear', queueId: '={{ $json.queueId }}' },
	'video.getAll': { resource: 'video', operation: 'getAll' },
	'project.getAll': { resource: 'project', operation: 'getAll' },
	'account.get': { resource: 'account', operation: 'get' },
} as const satisfies Partial<Record<Operation, INodeParameters>>;

/** Video > Generate without its file; an item may name another project, and a prompt. */
export const GENERATE = {
	resource: 'video',
	operation: 'generate',
	projectId: byId(`={{ $json.project ?? '${PROJECT}' }}`),
	customPrompt: "={{ $json.prompt ?? '' }}",
	downloadVideo: false,
};

/** Queue > Wait without its file, for a queue ID and its project. */
export const WAIT = {
	resource: 'queue',
	operation: 'wait',
	queueId: '={{ $json.queueId }}',
	projectId: byId('={{ $json.project }}'),
	downloadVideo: false,
};

export type ApiOperation = keyof typeof OPERATIONS;

export const API_OPERATIONS = Object.keys(OPERATIONS) as ApiOperation[];
