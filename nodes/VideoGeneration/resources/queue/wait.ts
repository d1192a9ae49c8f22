import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { finishVideo } from '../../execution/finishVideo';
import type { Operation } from '../../execution/job';
import { getProjectId } from '../../execution/parameters';
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
		const projectId = getProjectId(context, context.getNodeParameter('projectId', ''));
		const { queueId = '' } = getIdsFromPath(request);
		return await finishVideo(job, wait, { queueId, projectId: projectId || undefined });
	},
};
