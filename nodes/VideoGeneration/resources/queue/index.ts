import type { INodeProperties, NodeHint } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { createOperationField, optionsField } from '../fields';
import { add, addFields } from './add';
import { clear } from './clear';
import { getProgress } from './getProgress';
import { queueIdField } from './queueId';
import { wait, waitFields } from './wait';

/** Agents read it. A constant, because the rule for sentence case would remove the brackets. */
const ADD_ACTION = 'Queue video (costs credits)';

export const queueOperations = { add, clear, getProgress, wait };

export const queueProperties: INodeProperties[] = [
	createOperationField('queue', 'add', [
		{
			name: 'Add',
			value: 'add',
			action: ADD_ACTION,
			description: 'Queue a video of a project, which costs credits',
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
			description: "Show a queued video's progress, which is free",
			routing: getProgress.routing,
		},
		{
			name: 'Wait',
			value: 'wait',
			action: 'Wait for queued video',
			description: 'Wait until a queued video is finished and return it, which is free',
			routing: wait.routing,
		},
	]),
	queueIdField,
	...addFields,
	...waitFields,
	...updateDisplayOptions(
		{ show: { resource: ['queue'], operation: ['clear', 'getProgress', 'wait'] } },
		[optionsField],
	),
];

/**
 * The hints in the editor's output panel before a run, where credits or data are at stake. Only the
 * editor evaluates the conditions; `$input` is the output of the previous node there.
 */
export const queueHints: NodeHint[] = [
	{
		type: 'warning',
		message:
			"Each input item queues one video, and each video costs credits. To queue only one, turn on 'Execute Once' in the settings of this node. Videos that are queued when you stop the execution are still made and paid for: find them in Video > Get Many.",
		displayCondition:
			'={{ $parameter.resource === "queue" && $parameter.operation === "add" && $input.all().length > 1 }}',
		whenToDisplay: 'beforeExecution',
		location: 'outputPane',
	},
	{
		type: 'warning',
		message:
			"The expression of 'Custom Prompt' has no value for the first item, so the project's own prompt is used. Check that it names a field of the input.",
		displayCondition:
			'={{ $parameter.resource === "queue" && $parameter.operation === "add" && $input.all().length > 0 && $parameter.customPrompt === undefined }}',
		whenToDisplay: 'beforeExecution',
		location: 'outputPane',
	},
	{
		type: 'info',
		message:
			"Videos of one project are made one after the other, so that each item gets its own. 'Videos at Once' under 'Wait Options' makes several at the same time, but those that finish close together cannot be told apart.",
		displayCondition:
			'={{ $parameter.resource === "queue" && $parameter.operation === "add" && $parameter.waitForCompletion && $input.all().length > 1 }}',
		whenToDisplay: 'beforeExecution',
		location: 'outputPane',
	},
	{
		type: 'warning',
		message: 'Each input item permanently deletes a queue item, which cannot be undone',
		displayCondition: '={{ $parameter.resource === "queue" && $parameter.operation === "clear" }}',
		whenToDisplay: 'beforeExecution',
		location: 'outputPane',
	},
	{
		type: 'info',
		message:
			"Set 'Project' and 'Queued At' to the 'projectId' and 'createdAt' that Queue > Add returned. Without them, a video that is finished soon cannot be told apart from others.",
		displayCondition:
			'={{ $parameter.resource === "queue" && $parameter.operation === "wait" && (!($parameter.projectId?.value ?? $parameter.projectId) || !$parameter.queuedAt) }}',
		whenToDisplay: 'beforeExecution',
		location: 'outputPane',
	},
];
