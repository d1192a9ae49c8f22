import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { CREDENTIAL } from '../../credentials/connection';
import { REQUEST_DEFAULTS } from './api/request';
import { createCustomOperations, createToolCall } from './execution/runItems';
import { searchProjects } from './listSearch/projects';
import { accountOperations, accountProperties } from './resources/account';
import { projectOperations, projectProperties } from './resources/project';
import { queueHints, queueOperations, queueProperties } from './resources/queue';
import { videoOperations, videoProperties } from './resources/video';

const operations = {
	queue: queueOperations,
	video: videoOperations,
	project: projectOperations,
	account: accountOperations,
};

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
		subtitle:
			'={{ $parameter["resource"].charAt(0).toUpperCase() + $parameter["resource"].slice(1) + ": " + ({ add: "Add", clear: "Delete", download: "Download", get: "Get", getAll: "Get Many", getProgress: "Get Progress", wait: "Wait" }[$parameter["operation"]] ?? $parameter["operation"]) }}',
		description: 'Make videos from your projects, wait for them and download them',
		defaults: { name: 'Video Generation' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				"Makes videos from saved projects. Queue > Add costs credits, everything else is free. Turn on its 'Wait for Completion' to get the finished video, and 'Download Video' to get its file: no loop of Wait and IF nodes is needed. For videos that take hours, use the Video Generation Trigger.",
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: CREDENTIAL, required: true }],
		requestDefaults: REQUEST_DEFAULTS,
		requestOperations: { pagination: createToolCall(operations) },
		hints: queueHints,
		properties: [
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				options: [
					{ name: 'Account', value: 'account', description: 'Your name and your credits' },
					{ name: 'Project', value: 'project', description: 'What videos are made from' },
					{ name: 'Queue', value: 'queue', description: 'Videos that are being made' },
					{ name: 'Video', value: 'video', description: 'Videos that are finished' },
				],
				default: 'queue',
				// n8n's routing asks the pagination function even when it finds no operation.
				routing: { send: { paginate: true } },
			},
			...queueProperties,
			...videoProperties,
			...projectProperties,
			...accountProperties,
		],
	};

	customOperations = createCustomOperations(operations);

	methods = { listSearch: { searchProjects } };
}
