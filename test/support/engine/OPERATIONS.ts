import type { INodeParameters } from 'n8n-workflow';
import type { Operation } from '../../../sandbox/domain/model';

/** A project that the sandbox has from its start. */
export const PROJECT = 'project-product-teaser';

/** Parameters for each operation that calls the API, under the sandbox's name of its request. */
export const OPERATIONS = {
	'queue.add': {
		resource: 'queue',
		operation: 'add',
		projectId: { __rl: true, mode: 'id', value: PROJECT },
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

export type ApiOperation = keyof typeof OPERATIONS;

export const API_OPERATIONS = Object.keys(OPERATIONS) as ApiOperation[];
