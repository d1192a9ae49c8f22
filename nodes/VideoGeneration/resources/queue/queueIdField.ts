import type { INodeProperties } from 'n8n-workflow';

/** The queue item that an operation is about. Stated once: n8n's routing evaluates it for each statement. */
export const queueIdField: INodeProperties = {
	displayName: 'Queue ID',
	name: 'queueId',
	type: 'string',
	displayOptions: { show: { resource: ['queue'], operation: ['clear', 'getProgress', 'wait'] } },
	required: true,
	default: '',
	placeholder: 'e.g. {{ $json.queueId }}',
	description: 'The queueId that Queue > Add returns for a video',
};
