import type { VideoOrder } from '../../adds/sendAdd';
import type { Operation } from '../../item/job';
import { fileNameOption } from '../fields';
import { getOrder, ofOrder, orderFields, orderOptions } from '../order';
import { getWaitSettings, waitFields } from '../waitOptions';

/** Video > Generate: queues a video, waits for it and downloads it. */
export const generate: Operation<VideoOrder> = {
	...ofOrder,
	name: 'Generate',
	action: 'Generate video (costs credits)',
	description:
		'Generate a video and return its URL and file, which takes minutes and costs credits',
	fields: [...orderFields, ...waitFields],
	options: [...orderOptions, fileNameOption],
	prepare: (context, isPaid) => ({
		...getOrder(context, isPaid),
		wait: getWaitSettings(context),
	}),
};
