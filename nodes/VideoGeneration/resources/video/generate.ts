import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import type { VideoOrder } from '../../adds/order';
import type { Operation } from '../../item/job';
import { getOrder, order, orderFields, orderOptions } from '../order';
import { finishedVideoFields, getWaitSettings, waitOptions } from '../waitOptions';

export const generateFields: INodeProperties[] = updateDisplayOptions(
	{ show: { resource: ['video'], operation: ['generate'] } },
	[...orderFields, ...finishedVideoFields, waitOptions, orderOptions],
);

/** Video > Generate: queues a video, waits for it and downloads it. */
export const generate: Operation<VideoOrder> = {
	...order,
	prepare: (context, isPaid) => ({
		...getOrder(context, isPaid),
		wait: getWaitSettings(context),
	}),
};
