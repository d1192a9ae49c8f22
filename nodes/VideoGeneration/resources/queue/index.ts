import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import {
	prepareWait,
	prepareWaitIfWanted,
	waitForAddedVideo,
	waitForQueueItem,
} from '../../completion/waitForVideo';
import type { OperationPolicy } from '../../request/prepareRequest';
import { prepareRequest } from '../../request/prepareRequest';
import { checkReply } from '../../request/steps/checkReply';
import { setAddBody } from '../../request/steps/setAddBody';
import { setQueueIdInBody } from '../../request/steps/setQueueIdInBody';
import { setQueueIdInPath } from '../../request/steps/setQueueIdInPath';
import { takeClearedItem } from '../../request/steps/takeClearedItem';
import { takeNewQueueItem } from '../../request/steps/takeNewQueueItem';
import { takeProgress } from '../../request/steps/takeProgress';
import { ADD, CLEAR, READ_QUEUE_ITEM } from '../../request/operationPolicies';
import { optionsField } from '../optionsField';
import { addFields } from './add';
import { queueIdField } from './queueIdField';
import { waitFields } from './wait';

const ADD_AND_WAIT: OperationPolicy = { ...ADD, complete: waitForAddedVideo };
const WAIT: OperationPolicy = { ...READ_QUEUE_ITEM, perform: waitForQueueItem };

export const queueProperties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['queue'] } },
		default: 'add',
		options: [
			{
				name: 'Add',
				value: 'add',
				action: 'Spend credits to queue a video',
				description: 'Queue the generation of a video from a project, which costs credits',
				routing: {
					request: { method: 'POST', url: '/v1/queue/add' },
					send: {
						paginate: true,
						preSend: [prepareRequest(ADD_AND_WAIT, setAddBody, prepareWaitIfWanted)],
					},
					output: { postReceive: [checkReply, takeNewQueueItem] },
				},
			},
			{
				name: 'Clear',
				value: 'clear',
				action: 'Permanently clear a queue item',
				description: 'Remove a queue item for good, which cannot be undone',
				routing: {
					request: { method: 'POST', url: '/v1/queue/clear' },
					send: { paginate: true, preSend: [prepareRequest(CLEAR, setQueueIdInBody)] },
					output: { postReceive: [checkReply, takeClearedItem] },
				},
			},
			{
				name: 'Get Progress',
				value: 'getProgress',
				action: 'Get the progress of a queued video',
				description: 'Read how far the generation of a queued video is, which costs nothing',
				routing: {
					request: { method: 'GET', url: '/v1/queue/progress' },
					send: { paginate: true, preSend: [prepareRequest(READ_QUEUE_ITEM, setQueueIdInPath)] },
					output: { postReceive: [checkReply, takeProgress] },
				},
			},
			{
				name: 'Wait',
				value: 'wait',
				action: 'Wait for a queued video to be finished',
				description: 'Wait until a queued video is finished and return it, which costs nothing',
				routing: {
					request: { method: 'GET', url: '/v1/queue/progress' },
					send: { paginate: true, preSend: [prepareRequest(WAIT, setQueueIdInPath, prepareWait)] },
				},
			},
		],
	},
	queueIdField,
	...addFields,
	...waitFields,
	...updateDisplayOptions(
		{ show: { resource: ['queue'], operation: ['add', 'clear', 'getProgress', 'wait'] } },
		[optionsField],
	),
];
