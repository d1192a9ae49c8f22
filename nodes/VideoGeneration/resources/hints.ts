import type { NodeHint } from 'n8n-workflow';

/**
 * The hints in the editor's output panel before a run, where credits or data are at stake. Only the
 * editor evaluates the conditions; `$input` is the output of the previous node there.
 */
export const hints: NodeHint[] = [
	{
		type: 'warning',
		message:
			"Each input item queues one video, and each video costs credits. To queue only one, turn on 'Execute Once' in the settings of this node.",
		displayCondition:
			'={{ $parameter.resource === "queue" && $parameter.operation === "add" && $input.all().length > 1 }}',
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
		message: "Set 'Project' to rule out videos of other projects",
		displayCondition:
			'={{ $parameter.resource === "queue" && $parameter.operation === "wait" && !($parameter.projectId?.value ?? $parameter.projectId) }}',
		whenToDisplay: 'beforeExecution',
		location: 'outputPane',
	},
];
