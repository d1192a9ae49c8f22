import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { ENDPOINTS } from '../../api/endpoints';
import { parseLogTime } from '../../api/videoLog';
import { outputVideo } from '../../download/outputVideo';
import { resumeVideo, type WaitSettings } from '../../waiting/waitForVideo';
import type { Operation } from '../../item/job';
import { getId, refuse, requireText } from '../../item/parameters';
import { fileNameOption, getQueueId, ofQueueItem, projectLocator } from '../fields';
import { getWaitSettings, waitFields } from '../waitOptions';

interface WaitOrder {
	queueId: string;
	projectId: string | undefined;
	/** "Queued At" as text. */
	createdAt: string | undefined;
	wait: WaitSettings;
}

/** Queue > Wait, for a queue item that was added elsewhere. */
export const wait: Operation<WaitOrder> = {
	...ofQueueItem,
	name: 'Wait',
	action: 'Wait for queued video',
	description: 'Wait until a queued video is finished and return its URL and file',
	request: ENDPOINTS.getProgress,
	fields: [
		...ofQueueItem.fields,
		{
			...projectLocator,
			description:
				'The project that the video is made from. Without it, videos of all projects are candidates.',
		},
		{
			displayName: 'Queued At',
			name: 'queuedAt',
			type: 'string',
			default: '',
			placeholder: 'e.g. {{ $json.createdAt }}',
			description:
				"The 'createdAt' that Queue > Add returned for this video, and no other date. It identifies a video that is finished already.",
		},
		...waitFields,
	],
	options: [fileNameOption],

	prepare: (context) => ({
		queueId: getQueueId(context),
		projectId: getId(context, 'projectId', 'Project') || undefined,
		createdAt: getQueuedAt(context),
		wait: getWaitSettings(context),
	}),

	async perform(job) {
		const { wait: settings, ...ids } = job.order;
		job.ledger.keepAwaited(ids);
		return await outputVideo(job, settings, await resumeVideo(job, settings));
	},
};

/** "Queued At". @throws a NodeOperationError when it is not a date */
function getQueuedAt(context: IExecuteSingleFunctions): string | undefined {
	const given = context.getNodeParameter('queuedAt', '');
	const queuedAt = requireText(context, given, 'Queued At').trim();
	if (queuedAt === '') return undefined;
	if (parseLogTime(queuedAt) !== undefined) return queuedAt;
	const whatToDo = "Enter the 'createdAt' that Queue > Add returned, or leave it empty.";
	return refuse(context, 'Queued At', 'a date', whatToDo);
}
