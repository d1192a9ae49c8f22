import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import type { Operation } from '../../execution/operation';
import { closeOrder, openOrder } from '../../execution/orders';
import { getProjectId } from '../../execution/parameters';
import { projectLocator } from '../fields';
import { findAccountVideos, finishQueueItem } from './finishQueueItem';
import { getIdsFromPath, QUEUE_ITEM_NOT_FOUND, setQueueIdInPath } from './queueId';
import type { WaitSettings } from './waitOptions';
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
export const wait: Operation<WaitSettings & { projectId: string }> = {
	requestKind: 'read',
	routing: {
		request: { method: 'GET', url: '/v1/queue/progress' },
		send: { paginate: true, preSend: [setQueueIdInPath] },
	},
	texts: { fields: '"Queue ID"', notFound: QUEUE_ITEM_NOT_FOUND },
	getIds: getIdsFromPath,
	getSettings: (context) => ({ ...getWaitSettings(context), projectId: getProjectId(context) }),

	async perform(job) {
		const { settings, request } = job;
		const { queueId = '' } = getIdsFromPath(request);
		const { projectId } = settings;
		const account = await findAccountVideos(job);
		const item = account.track({ queueId, ...(projectId === '' ? {} : { projectId }) });
		const order = openOrder(job);
		let isDone = false;
		try {
			const output = await finishQueueItem(job, settings, order, { account, item, queueId });
			isDone = true;
			return output;
		} finally {
			closeOrder(job, isDone);
		}
	},
};
