import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import type { VideoOrder } from '../../adds/order';
import type { Operation } from '../../item/job';
import { getOrder, order, orderFields, orderOptions } from '../order';

export const addFields: INodeProperties[] = updateDisplayOptions(
	{ show: { resource: ['queue'], operation: ['add'] } },
	[...orderFields, orderOptions],
);

/** Queue > Add: the request alone, whose queue item comes out at once. */
export const add: Operation<VideoOrder> = { ...order, prepare: getOrder };
