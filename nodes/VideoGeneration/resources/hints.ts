import type { IBuilderHint, NodeHint } from 'n8n-workflow';

const GENERATE = '$parameter.resource === "video" && $parameter.operation === "generate"';
const ADD = '$parameter.resource === "queue" && $parameter.operation === "add"';
const WAIT = '$parameter.resource === "queue" && $parameter.operation === "wait"';
const SEVERAL = '$input.all().length > 1';

const HINTS: [type: 'info' | 'warning', condition: string, message: string][] = [
	[
		'warning',
		`((${GENERATE}) || (${ADD})) && ${SEVERAL}`,
		"Each input item makes one video, and each video costs credits. To make only one, turn on 'Execute Once' in the settings of this node.",
	],
	[
		'info',
		GENERATE,
		'A video takes minutes. If you stop the execution, it is still made and paid for. Look for it in Video > Get Many before you generate it again.',
	],
	[
		'info',
		`${GENERATE} && ${SEVERAL}`,
		"Videos of one project are made one after the other, unless the service tells them apart. With 'Videos at Once' under 'Wait Options', several are made at the same time. Those that finish close together may then come out without a URL.",
	],
	[
		'info',
		`((${ADD}) || (${WAIT})) && ${SEVERAL}`,
		'Videos of one project that are made at the same time cannot be told apart when they finish close together. Video > Generate makes them one after the other, so that each item gets its own.',
	],
];

/** The hints before a run, where credits or videos are at stake. `$input` is the previous node's output in the editor. */
export const hints: NodeHint[] = HINTS.map(([type, condition, message]) => ({
	type,
	message,
	whenToDisplay: 'beforeExecution',
	location: 'outputPane',
	displayCondition: `={{ ${condition} }}`,
}));

/**
 * What n8n tells a model that builds a workflow. Most have learned from templates that wait in a loop, and take the
 * newest video of the project.
 */
export const builderHint: IBuilderHint = {
	searchHint: [
		'To make a video, use Video > Generate alone: it queues the video, waits for it, and returns its file.',
		'Do not build a loop of Queue > Add, Wait and Queue > Get Progress around it.',
		'Each input item makes one video, which costs credits and takes minutes, so never run it as a test.',
		"For rows, set 'Unique Key' under 'Options' to the row's ID, and loop with a batch size of 1.",
		'If a webhook, a chat or an MCP client waits for the response, use Queue > Add and the trigger.',
	].join(' '),
	relatedNodes: [
		{
			nodeType: 'n8n-nodes-video-generation.videoGenerationTrigger',
			relationHint: 'Starts a workflow for every finished video, however long it took',
		},
	],
};
