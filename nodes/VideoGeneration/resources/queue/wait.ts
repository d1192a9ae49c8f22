import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import type { Operation } from '../../execution/job';
import { finishVideo } from '../../execution/finishVideo';
import { getProjectId } from '../../execution/parameters';
import { projectLocator } from '../fields';
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
export const wait: Operation<{ projectId: string | undefined }> = {
	requestKind: 'read',
	routing: {
		request: { method: 'GET', url: '/v1/queue/progress' },
		send: { paginate: true, preSend: [setQueueIdInPath] },
	},
	texts: { fields: "'Queue ID'", notFound: QUEUE_ITEM_NOT_FOUND },
	getIds: getIdsFromPath,
	getWait: getWaitSettings,
	getSettings: (context) => ({ projectId: getProjectId(context) || undefined }),

	async perform(job) {
		const { queueId = '' } = getIdsFromPath(job.request);
		return await finishVideo(job, { queueId, ...job.settings });
	},
};
