import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import type { VideoOrder } from '../../adds/sendAdd';
import type { Operation } from '../../item/job';
import { createOptionsField, maxTriesOption } from '../fields';
import { creditOptions, getOrder, order, orderFields, uniqueKeyOption } from '../order';

export const addFields: INodeProperties[] = updateDisplayOptions(
	{ show: { resource: ['queue'], operation: ['add'] } },
	[...orderFields, createOptionsField(...creditOptions, maxTriesOption, uniqueKeyOption)],
);

/** Queue > Add: the request alone, whose queue item comes out at once. */
export const add: Operation<VideoOrder> = { ...order, prepare: getOrder };
