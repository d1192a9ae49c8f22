import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { searchProjects } from './listSearch/searchProjects';
import { CREDENTIAL, REQUEST_DEFAULTS } from './request/requestDefaults';
import { sendByPolicy } from './request/sendByPolicy';
import { accountProperties } from './resources/account';
import { projectProperties } from './resources/project';
import { queueProperties } from './resources/queue';
import { videoProperties } from './resources/video';

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
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description: 'Queue videos, follow their progress and list the finished ones',
		defaults: { name: 'Video Generation' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: CREDENTIAL, required: true }],
		requestDefaults: REQUEST_DEFAULTS,
		requestOperations: { pagination: sendByPolicy },
		properties: [
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				options: [
					{ name: 'Account', value: 'account' },
					{ name: 'Project', value: 'project' },
					{ name: 'Queue', value: 'queue' },
					{ name: 'Video', value: 'video' },
				],
				default: 'queue',
			},
			...queueProperties,
			...videoProperties,
			...projectProperties,
			...accountProperties,
		],
	};

	methods = { listSearch: { searchProjects } };
}
