import { ENDPOINTS } from '../../api/endpoints';
import { putFirst } from '../../api/videoLog';
import type { Operation } from '../../item/job';
import { declareRequest, optionsField } from '../fields';
import { findVideo, getVideo, videoLocator } from './video';

/** Video > Get (specification, "GET /v1/videos"). The API lists all videos, of which the node picks one. */
export const get: Operation<{ videoId: string }> = {
	name: 'Get',
	action: 'Get video',
	description: 'Show a finished video, with an address that is fresh',
	requestKind: 'read',
	routing: declareRequest(ENDPOINTS.listVideos),
	fields: [videoLocator, optionsField],
	getIds: (order) => order,
	prepare: (context) => ({ videoId: getVideo(context) }),
	perform: async (job) => [{ json: putFirst(await findVideo(job, job.order.videoId)) }],
};
