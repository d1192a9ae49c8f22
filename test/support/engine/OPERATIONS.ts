import type { INodeParameters } from 'n8n-workflow';
import type { Operation } from '../../../sandbox/domain/model';

/** A project that the sandbox has from its start. */
export const PROJECT = 'project-product-teaser';

/** The value of a field like Project, with an ID or an expression. */
export const byId = (value: string) => ({ __rl: true, mode: 'id', value });

/** An item may have a prompt, and may name a project. */
const customPrompt = "={{ $json.prompt ?? '' }}";

/**
 * Parameters for each operation that calls the API once. What must exist is taken from the item, which
 * `createInput` creates; without it, they name what does not exist.
 */
export const OPERATIONS = {
	'queue.add': {
		resource: 'queue',
		operation: 'add',
		projectId: byId(PROJECT),
		customPrompt,
	},
	'queue.getProgress': {
		resource: 'queue',
		operation: 'getProgress',
		queueId: "={{ $json.queueId ?? 'q' }}",
	},
	'queue.clear': {
		resource: 'queue',
		operation: 'clear',
		queueId: "={{ $json.queueId ?? 'q' }}",
	},
	'video.get': { resource: 'video', operation: 'get', video: byId("={{ $json.id ?? 'q' }}") },
	'video.getAll': { resource: 'video', operation: 'getAll' },
	'project.getAll': { resource: 'project', operation: 'getAll' },
	'account.get': { resource: 'account', operation: 'get' },
} as const satisfies Record<string, INodeParameters>;

export type ApiOperation = keyof typeof OPERATIONS;

export const API_OPERATIONS = Object.keys(OPERATIONS) as ApiOperation[];

/** The request of an operation, by the sandbox's name for it. */
export const toRequest = (name: ApiOperation): Exclude<Operation, 'video.file'> =>
	name === 'video.get' ? 'video.getAll' : name;

/** The field that each request promises in its response. */
export const PROMISED: Record<Exclude<Operation, 'video.file'>, string> = {
	'queue.add': 'newQueueItem',
	'queue.getProgress': 'details',
	'queue.clear': 'queueId',
	'video.getAll': 'videos',
	'project.getAll': 'projects',
	'account.get': 'usage',
};

/** In seconds. Tests add them up, so they name them: a test without wait options of its own is of no default. */
export const LISTING_DELAY = 10;
export const POLLING_INTERVAL = 5;
const waitOptions = { listingDelay: LISTING_DELAY, pollingInterval: POLLING_INTERVAL };

/** Video > Generate without its file; an item may name another project. */
export const GENERATE = {
	resource: 'video',
	operation: 'generate',
	projectId: byId(`={{ $json.project ?? '${PROJECT}' }}`),
	customPrompt,
	downloadVideo: false,
	waitOptions,
};

/** Queue > Wait without its file, for a queue ID and its project. */
export const WAIT = {
	resource: 'queue',
	operation: 'wait',
	queueId: '={{ $json.queueId }}',
	projectId: byId('={{ $json.project }}'),
	downloadVideo: false,
	waitOptions,
};

/** Video > Download of an address, which is taken as one in any mode. */
export const DOWNLOAD = {
	resource: 'video',
	operation: 'download',
	video: byId('={{ $json.url }}'),
};

/** Fields of an item that no operation needs. */
const OPTIONAL = ['project', 'prompt'];

/** Parameters for every operation. */
export const ALL_OPERATIONS = {
	...OPERATIONS,
	'video.generate': GENERATE,
	'queue.wait': WAIT,
	'video.download': DOWNLOAD,
};

/**
 * What an operation needs in its item: each field that its parameters take, but for those that are left out.
 * @throws Error for a fixed ID: only the project exists before a test
 */
export function listRequired(name: keyof typeof ALL_OPERATIONS): string[] {
	const { resource, operation, ...parameters } = ALL_OPERATIONS[name];
	return Object.entries(parameters as INodeParameters).flatMap(([parameter, value]) => {
		const text = (value as { value?: unknown }).value ?? value;
		if (typeof text !== 'string' || text === PROJECT) return [];
		const [, field] = /^=.*\$json\.(\w+)/.exec(text) ?? [];
		if (field !== undefined) return OPTIONAL.includes(field) ? [] : [field];
		const row = `${resource}.${operation}`;
		throw new Error(
			`In OPERATIONS.ts, ${row} has to take "${parameter}" from its item: {{ $json.id }}`,
		);
	});
}
