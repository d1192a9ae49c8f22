import type { RequestStep } from '../prepareRequest';
import { readQueueId } from './readQueueId';

/** The body of "POST /v1/queue/clear". */
export const setQueueIdInBody: RequestStep = (context, request) => {
	request.body = { queueId: readQueueId(context, request) };
};
