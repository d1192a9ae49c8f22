import type { IBuilderHint, NodeHint } from 'n8n-workflow';

const GENERATE = '$parameter.resource === "video" && $parameter.operation === "generate"';
const ADD = '$parameter.resource === "queue" && $parameter.operation === "add"';
const WAIT = '$parameter.resource === "queue" && $parameter.operation === "wait"';
const SEVERAL = '$input.all().length > 1';

const HINTS: [type: 'info' | 'warning', condition: string, message: string][] = [
	[
		'warning',
		`((${GENERATE}) || (${ADD})) && ${SEVERAL}`,
		"Each input item makes one video, which costs credits, unless 'Execute Once' is on in the node's settings",
	],
	[
		'info',
		GENERATE,
		'A video usually costs 1 credit, and takes minutes, in which n8n shows no progress. It is made and paid for even if you stop the execution. Then look for it in Video > Get Many.',
	],
	[
		'info',
		`${GENERATE} && ${SEVERAL}`,
		"Videos of one project are made one after the other, so that each item gets its own. It is faster if the service says whose each video is, or with 'Videos at Once' under 'Wait Options'. With that option, videos that finish close together cannot be told apart. The next node can use a row's columns, too: drag them from the earlier node in its input panel.",
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

/** For models that build workflows: templates have taught them to wait in a loop, and to take the newest video. */
export const builderHint: IBuilderHint = {
	searchHint:
		"To make a video, use resource: 'video', operation: 'generate' alone: it queues, waits, and returns the URL and file. Never build a loop of 'add', a Wait node and 'getProgress': it may pay twice, and take another item's video. Each input item makes one video, which costs credits and takes minutes: test the workflow with pinned data only. For rows, set options.uniqueKey to the row's ID, and use Loop Over Items with batchSize: 1. If a webhook, chat or MCP client waits for the response, use resource: 'queue', operation: 'add', and videoGenerationTrigger.",
};
