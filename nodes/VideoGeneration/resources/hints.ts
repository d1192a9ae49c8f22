import type { NodeHint } from 'n8n-workflow';

/**
 * What the editor says in the output panel before a run, where credits or data are at stake. Only the
 * editor evaluates the conditions: `$input` is what the node before has returned there.
 */
export const hints: NodeHint[] = [
	{
		type: 'warning',
		message:
			"Each input item queues a video of its own, and each video costs credits. To queue a single one, turn on 'Execute Once' in the settings of this node.",
		displayCondition:
			'={{ $parameter.resource === "queue" && $parameter.operation === "add" && $input.all().length > 1 }}',
		whenToDisplay: 'beforeExecution',
		location: 'outputPane',
	},
	{
		type: 'warning',
		message: 'Each input item removes a queue item for good, which cannot be undone',
		displayCondition: '={{ $parameter.resource === "queue" && $parameter.operation === "clear" }}',
		whenToDisplay: 'beforeExecution',
		location: 'outputPane',
	},
	{
		type: 'info',
		message:
			"The service does not say which finished video belongs to which queue item. When several videos of one project are finished at nearly the same time, 'videoUrl' is empty and 'videoCandidates' lists the videos that it can be.",
		displayCondition:
			'={{ $parameter.resource === "queue" && ($parameter.operation === "wait" || ($parameter.operation === "add" && $parameter.waitForCompletion === true)) && $input.all().length > 1 }}',
		whenToDisplay: 'beforeExecution',
		location: 'outputPane',
	},
	{
		type: 'info',
		message: "Set 'Project' so that the finished video can be told from those of other projects",
		displayCondition:
			'={{ $parameter.resource === "queue" && $parameter.operation === "wait" && !($parameter.projectId?.value ?? $parameter.projectId) }}',
		whenToDisplay: 'beforeExecution',
		location: 'outputPane',
	},
];
