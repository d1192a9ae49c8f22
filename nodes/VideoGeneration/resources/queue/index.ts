import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { createOperationField, optionsField } from '../fields';
import { add, addFields } from './add';
import { clear } from './clear';
import { getProgress } from './getProgress';
import { queueIdField } from './queueId';
import { wait, waitFields } from './wait';

/** Agents read it. A constant, because the rule for sentence case would remove the brackets. */
const ADD_ACTION = 'Queue video without waiting (costs credits)';

export const queueOperations = { add, clear, getProgress, wait };

export const queueProperties: INodeProperties[] = [
	createOperationField('queue', 'add', [
		{
			name: 'Add',
			value: 'add',
			action: ADD_ACTION,
			description: 'Queue a video without waiting for it, which costs credits',
			routing: add.routing,
		},
		{
			name: 'Delete',
			value: 'clear',
			action: 'Delete queue item permanently',
			description: 'Permanently delete a queue item, which cannot be undone',
			routing: clear.routing,
		},
		{
			name: 'Get Progress',
			value: 'getProgress',
			action: 'Get progress of queued video',
			description: "Show a queued video's progress",
			routing: getProgress.routing,
		},
		{
			name: 'Wait',
			value: 'wait',
			action: 'Wait for queued video',
			description: 'Wait until a queued video is finished and return its file',
			routing: wait.routing,
		},
	]),
	queueIdField,
	...addFields,
	...waitFields,
	...updateDisplayOptions({ show: { resource: ['queue'], operation: ['clear', 'getProgress'] } }, [
		optionsField,
	]),
];
