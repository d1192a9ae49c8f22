import { describeResource } from '../fields';
import { add } from './add';
import { clear } from './clear';
import { getProgress } from './getProgress';
import { wait } from './wait';

/** Agents read it. A constant, because the rule for sentence case would remove the brackets. */
const ADD_ACTION = 'Queue video without waiting (costs credits)';

export const queueOperations = { add, clear, getProgress, wait };

export const queueProperties = describeResource('queue', queueOperations, 'add', [
	{
		name: 'Add',
		value: 'add',
		action: ADD_ACTION,
		description: 'Queue a video without waiting for it, which costs credits',
	},
	{
		name: 'Delete',
		value: 'clear',
		action: 'Delete queue item permanently',
		description: 'Permanently delete a queue item, which cannot be undone',
	},
	{
		name: 'Get Progress',
		value: 'getProgress',
		action: 'Get progress of queued video',
		description: "Show a queued video's progress",
	},
	{
		name: 'Wait',
		value: 'wait',
		action: 'Wait for queued video',
		description: 'Wait until a queued video is finished and return its file',
	},
]);
