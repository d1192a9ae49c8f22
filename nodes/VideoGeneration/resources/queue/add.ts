import type { VideoOrder } from '../../adds/sendAdd';
import type { Operation } from '../../item/job';
import { getOrder, ofOrder, orderFields, orderOptions } from '../order';

/** Queue > Add: the request alone, whose queue item comes out at once. */
export const add: Operation<VideoOrder> = {
	...ofOrder,
	name: 'Add',
	action: 'Queue video without waiting (costs credits)',
	description: 'Queue a video and return its queue ID at once, which costs credits',
	fields: orderFields,
	options: orderOptions,
	prepare: getOrder,
};
