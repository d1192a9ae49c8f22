/** What a user of an operation wants to know and no description of the node says. */
export interface OperationNote {
	cost: string;
	notes: string[];
}

const ALL_AT_ONCE =
	'All items wait at the same time: 50 videos take as long as the slowest one. For videos that take hours, start a workflow when they are finished instead, with the [trigger](#video-generation-trigger).';

const UNTOLD =
	'The service ties a finished video to its project and a time, not to the queue item. When several videos of one project are finished at nearly the same time, nobody can tell which is whose: `video` and `videoUrl` are then empty, and `videoCandidates` lists the videos that it can be.';

const FILE =
	"With **Download Video** on, the finished item carries its file. The API key is not sent to the video's host. If the download fails, or the video cannot be told from others, the item fails: nothing is queued again for it, and Retry On Fail downloads only.";

/** In the order in which the operations are documented. */
export const OPERATION_NOTES: Record<string, OperationNote> = {
	'queue.add': {
		cost: 'credits: 1 for most videos, more for those of some projects',
		notes: [
			"One video is queued for each input item, one after the other, in the order of the items. A request that may have been accepted is never sent again, so that no video is paid for twice: see [why](paying-once.md). With n8n's **Retry On Fail**, the next try queues only the videos that were not accepted.",
			`With **Wait for Completion** on, it returns the finished video. ${ALL_AT_ONCE}`,
			UNTOLD,
			FILE,
			'**Credits to Keep** guards the account: a video that would leave fewer credits is not queued. The account is read once before the first video. With the node set to stop, either all items fit or nothing is queued; with an error output, those that fit are queued. For an agent, each call is checked. Two executions at the same moment can both pass.',
		],
	},
	'queue.getProgress': {
		cost: 'nothing',
		notes: [
			'It looks once. To go on only when the video is finished, use [Queue: Wait](#queue-wait).',
		],
	},
	'queue.wait': { cost: 'nothing', notes: [ALL_AT_ONCE, UNTOLD, FILE] },
	'queue.clear': {
		cost: 'nothing, but it cannot be undone',
		notes: [
			'The service does not publish whether it gives back the credits of a video that is cleared before it is finished.',
		],
	},
	'video.getAll': {
		cost: 'nothing',
		notes: [
			'The service sends its whole list each time. Filters and limit make the output shorter, not the request.',
		],
	},
	'video.download': {
		cost: 'nothing',
		notes: [
			"Each item comes out with the fields that it came in with, and with the file beside them. So the fields below are those of a video from [Video: Get Many](#video-get-many); after a wait, they are those of the wait. Not for an AI agent's tools: n8n hands no files to agents.",
			"The file is streamed into n8n's storage and checked: it must be a video, and whole. Of a download that fails, nothing is kept. Up to 4 videos are downloaded at the same time.",
		],
	},
	'project.getAll': { cost: 'nothing', notes: [] },
	'account.get': { cost: 'nothing', notes: [] },
	trigger: {
		cost: 'nothing',
		notes: [
			'n8n looks for new videos at the **Poll Times** that you set, once a minute at the most. Videos that were finished since the last time come as the items of one execution, oldest first. [How it keeps the promise](trigger.md) that each video comes once.',
		],
	},
};
