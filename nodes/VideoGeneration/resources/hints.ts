import type { NodeHint } from 'n8n-workflow';

const GENERATE = '$parameter.resource === "video" && $parameter.operation === "generate"';
const ADD = '$parameter.resource === "queue" && $parameter.operation === "add"';
const WAIT = '$parameter.resource === "queue" && $parameter.operation === "wait"';
const CLEAR = '$parameter.resource === "queue" && $parameter.operation === "clear"';
const SEVERAL = '$input.all().length > 1';

/**
 * The hints in the editor's output panel before a run, where credits, data or videos are at stake. Only the
 * editor evaluates the conditions; `$input` is the output of the previous node there.
 */
export const hints: NodeHint[] = [
	createHint(
		'warning',
		`((${GENERATE}) || (${ADD})) && ${SEVERAL}`,
		"Each input item makes one video, and each video costs credits. To make only one, turn on 'Execute Once' in the settings of this node.",
	),
	createHint(
		'warning',
		`((${GENERATE}) || (${ADD})) && $input.all().length > 0 && $parameter.customPrompt === undefined`,
		"The expression of 'Custom Prompt' has no value for the first item, so the project's own prompt is used. Check that it names a field of the input.",
	),
	createHint(
		'info',
		`${GENERATE} && ${SEVERAL}`,
		"Videos of one project are made one after the other, so that each item gets its own. 'Videos at Once' under 'Wait Options' makes several at the same time, but those that finish close together cannot be told apart.",
	),
	createHint(
		'info',
		`((${ADD}) || (${WAIT})) && ${SEVERAL}`,
		'Videos of one project that are made at the same time cannot be told apart when they finish close together. Video > Generate makes them one after the other, so that each item gets its own.',
	),
	createHint(
		'info',
		`${WAIT} && (!($parameter.projectId?.value ?? $parameter.projectId) || !$parameter.queuedAt)`,
		"Set 'Project' and 'Queued At' to the 'projectId' and 'createdAt' that Queue > Add returned. Without them, a video that is finished soon cannot be told apart from others.",
	),
	createHint(
		'warning',
		CLEAR,
		'Each input item permanently deletes a queue item, which cannot be undone',
	),
];

function createHint(type: 'info' | 'warning', condition: string, message: string): NodeHint {
	return {
		...{ type, message },
		displayCondition: `={{ ${condition} }}`,
		whenToDisplay: 'beforeExecution',
		location: 'outputPane',
	};
}
