/** What a user of an operation wants to know and no description of the node says. */
export interface OperationNote {
	cost: string;
	notes: string[];
}

/** In the order in which the operations are documented. */
export const OPERATION_NOTES: Record<string, OperationNote> = {
	'queue.add': {
		cost: '1 credit for most videos, more for some projects',
		notes: [
			"Videos are queued one after another, in the order of the items. A request that may have been accepted is never sent again, so you [never pay twice](paying-once.md). **Retry On Fail** queues only the videos that weren't accepted.",
			'With **Wait for Completion**, the node returns the finished video, as [Queue: Wait](#queue-wait) does.',
			"**Credits to Keep**: a video that would leave fewer credits isn't queued. If it costs more than 1 credit, also set **Credits per Video**. If the node stops on errors, it queues all items or none. With an error output, it queues those that fit. It checks each agent call. Two simultaneous executions can both pass.",
		],
	},
	'queue.getProgress': {
		cost: 'free',
		notes: ['It checks once. To wait until the video is finished, use [Queue: Wait](#queue-wait).'],
	},
	'queue.wait': {
		cost: 'free',
		notes: [
			'All items wait at the same time: 50 videos take as long as the slowest one. For videos that take hours, use the [trigger](#video-generation-trigger) instead.',
			'The service links a finished video to its project and a time, not to the queue item. If several videos of one project finish at nearly the same time, `video` and `videoUrl` are `null`, and `videoCandidates` lists the possible videos. See [how a video is identified](paying-once.md#which-video-belongs-to-which-item).',
			"With **Download Video**, the output also contains the file. If the download fails or the video can't be identified, the item fails, and **Retry On Fail** only downloads.",
		],
	},
	'queue.clear': {
		cost: "free, but you can't undo it",
		notes: [
			"The service doesn't say whether it refunds a video that is cleared before it is finished.",
		],
	},
	'video.getAll': {
		cost: 'free',
		notes: [
			'The service always sends its whole list. Filters and limit shorten the output, not the request.',
		],
	},
	'video.download': {
		cost: 'free',
		notes: [
			"The output is the input item with the file added. AI agents can't use this operation, because n8n can't pass files to agents.",
			"The file is streamed into n8n's storage and checked to be a complete video. If a download fails, nothing is kept. Up to 4 videos are downloaded at the same time.",
		],
	},
	'project.getAll': { cost: 'free', notes: [] },
	'account.get': { cost: 'free', notes: [] },
	trigger: {
		cost: 'free',
		notes: [
			'n8n checks for new videos at the **Poll Times** that you set, at most once a minute. All videos that finished since the last check start one execution, oldest first. See [how the trigger works](trigger.md).',
		],
	},
};
