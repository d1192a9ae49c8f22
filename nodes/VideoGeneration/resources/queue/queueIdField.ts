import type { INodeProperties } from 'n8n-workflow';

/** The queue item that an operation is about. */
export const queueIdField: INodeProperties = {
	displayName: 'Queue ID',
	name: 'queueId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. {{ $json.queueId }}',
	description: 'The queueId that Queue > Add has returned',
};
