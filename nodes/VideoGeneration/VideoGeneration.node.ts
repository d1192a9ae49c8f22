import type { INodeProperties, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { CREDENTIAL } from '../../credentials/connection';
import { REQUEST_DEFAULTS } from './api/request';
import { createCustomOperations, createToolCall } from './run/runItems';
import { searchProjects } from './listSearch/projects';
import { searchVideos } from './listSearch/videos';
import { getAccount } from './resources/account';
import { createSubtitle, describeResource } from './resources/fields';
import { builderHint, hints } from './resources/hints';
import { getAllProjects } from './resources/project';
import { add } from './resources/queue/add';
import { clear } from './resources/queue/clear';
import { getProgress } from './resources/queue/getProgress';
import { wait } from './resources/queue/wait';
import { download } from './resources/video/download';
import { generate } from './resources/video/generate';
import { get } from './resources/video/get';
import { getAll } from './resources/video/getAll';

const operations = {
	account: { get: getAccount },
	project: { getAll: getAllProjects },
	queue: { add, clear, getProgress, wait },
	video: { download, generate, get, getAll },
};

const properties: INodeProperties[] = [
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		// n8n's nodes panel lists the actions in this order: what people come for is first.
		options: [
			{ name: 'Video', value: 'video', description: 'Videos, generated from your projects' },
			{ name: 'Account', value: 'account', description: 'Your name and your credits' },
			{ name: 'Project', value: 'project', description: 'What videos are made from' },
			{ name: 'Queue', value: 'queue', description: 'Videos that are being made' },
		],
		default: 'video',
		// n8n's routing asks the pagination function even when it finds no operation.
		routing: { send: { paginate: true } },
	},
	...Object.entries(operations).flatMap(([name, ofResource]) => describeResource(name, ofResource)),
];

export class VideoGeneration implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Video Generation',
		name: 'videoGeneration',
		icon: {
			light: 'file:../../icons/videoGeneration.svg',
			dark: 'file:../../icons/videoGeneration.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: createSubtitle(operations),
		description: 'Generate videos from your projects and get their files',
		defaults: { name: 'Video Generation' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: CREDENTIAL, required: true }],
		requestDefaults: REQUEST_DEFAULTS,
		requestOperations: { pagination: createToolCall(operations) },
		hints,
		builderHint,
		properties,
	};

	customOperations = createCustomOperations(operations);

	methods = { listSearch: { searchProjects, searchVideos } };
}
