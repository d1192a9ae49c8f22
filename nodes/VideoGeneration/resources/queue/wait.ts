import type { IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { parseLogTime } from '../../api/videoLog';
import { outputVideo, waitForItem } from '../../execution/finishVideo';
import type { Operation } from '../../execution/job';
import {
	createInputError,
	getProjectId,
	getValue,
	requireText,
	toDateText,
} from '../../execution/parameters';
import { projectLocator } from '../fields';
import { createPreSend } from '../steps';
import { getIdsFromPath, QUEUE_ITEM_NOT_FOUND, setQueueIdInPath } from './queueId';
import { finishedVideoFields, getWaitSettings, waitOptions } from './waitOptions';

export const waitFields: INodeProperties[] = updateDisplayOptions(
	{ show: { resource: ['queue'], operation: ['wait'] } },
	[
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
		...finishedVideoFields,
		waitOptions,
	],
);

/** Queue > Wait, for a queue item that was added elsewhere. */
export const wait: Operation = {
	requestKind: 'read',
	routing: {
		request: { method: 'GET', url: '/v1/queue/progress' },
		send: { paginate: true, preSend: [createPreSend(setQueueIdInPath)] },
	},
	texts: { fields: "'Queue ID'", notFound: QUEUE_ITEM_NOT_FOUND },
	getIds: getIdsFromPath,

	async perform(job) {
		const { context, request } = job;
		const wait = getWaitSettings(context);
		const projectId = getProjectId(context, context.getNodeParameter('projectId', '')) || undefined;
		const { queueId = '' } = getIdsFromPath(request);
		const { createdAt, queuedAt } = getQueuedAt(context);
		job.memory.keep({ projectId, createdAt: createdAt || undefined });
		const queued = { queueId, projectId, queuedAt };
		return await outputVideo(job, wait, await waitForItem(job, wait, queued));
	},
};

/** "Queued At" as text, and in milliseconds since 1970. @throws a NodeOperationError when it is not a date */
function getQueuedAt(context: IExecuteSingleFunctions): {
	createdAt: string;
	queuedAt: number | undefined;
} {
	const createdAt = requireText(
		context,
		toDateText(getValue(context, 'queuedAt')),
		'Queued At',
	).trim();
	const queuedAt = parseLogTime(createdAt);
	if (createdAt === '' || queuedAt !== undefined) return { createdAt, queuedAt };
	throw createInputError(
		context,
		"'Queued At' must be a date",
		"Enter the 'createdAt' that Queue > Add returned, or leave it empty. Nothing was sent.",
	);
}
