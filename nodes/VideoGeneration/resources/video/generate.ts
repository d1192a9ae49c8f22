import type { VideoOrder } from '../../adds/sendAdd';
import type { Operation } from '../../item/job';
import { createOptionsField } from '../fields';
import { getOrder, order, orderFields, orderOptions } from '../order';
import {
	finishedVideoFields,
	getWaitSettings,
	videoFileNameOption,
	waitOptions,
} from '../waitOptions';

/** Video > Generate: queues a video, waits for it and downloads it. */
export const generate: Operation<VideoOrder> = {
	...order,
	name: 'Generate',
	action: 'Generate video (costs credits)',
	description: 'Generate a video from a project and return its file',
	fields: [
		...orderFields,
		...finishedVideoFields,
		waitOptions,
		createOptionsField(...orderOptions, videoFileNameOption),
	],
	prepare: (context, isPaid) => ({
		...getOrder(context, isPaid),
		wait: getWaitSettings(context),
	}),
};
