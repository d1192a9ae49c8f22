import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { ENDPOINTS } from '../../api/endpoints';
import { putFirst } from '../../api/videoLog';
import type { Operation } from '../../item/job';
import { declareRequest, optionsField } from '../fields';
import { findVideo, getVideo, videoLocator } from './video';

export const getFields: INodeProperties[] = updateDisplayOptions(
	{ show: { resource: ['video'], operation: ['get'] } },
	[videoLocator, optionsField],
);

/** Video > Get (specification, "GET /v1/videos"). The API lists all videos, of which the node picks one. */
export const get: Operation<{ videoId: string }> = {
	requestKind: 'read',
	routing: declareRequest(ENDPOINTS.listVideos),
	getIds: (order) => order,
	prepare: (context) => ({ videoId: getVideo(context) }),
	perform: async (job) => [{ json: putFirst(await findVideo(job, job.order.videoId)) }],
};
