import type { IDataObject } from 'n8n-workflow';
import type { RequestFailure } from '../failures/failure';
import { hideStatus, isObject } from './response';
import type { HttpResponse } from './responseBody';
import { decodeText, MAX_OBJECT_BYTES, parseText, receiveBytes } from './responseBody';

/** The response to an add, with everything that can be read of it. */
export interface AddResponse extends Pick<HttpResponse, 'headers' | 'statusCode' | 'hide'> {
	/** The address that the add was sent to, and the target of a redirect. */
	url: string;
	location: unknown;
	/** The parsed body; the beginning of its text where it is not JSON. */
	body: unknown;
	/** The `status` of a body that arrived whole. */
	status: unknown;
	text: string;
	/** The new queue item, if it has an ID. */
	queueItem: IDataObject | undefined;
	/** The queue item's ID as it was received; '' without one. */
	queueId: string;
	/** Whether the body names a queue item, whatever else it says; and its ID, where the body is JSON. */
	namesQueueItem: boolean;
	receivedQueueId: string;
	/** Why the body did not arrive whole. */
	failure: RequestFailure | undefined;
}

/** Receives the response to an add (specification, "POST /v1/queue/add"), as far as it arrives. */
export async function receiveAddResponse(
	url: string,
	{ body, headers, statusCode, hide, endsAt }: HttpResponse,
): Promise<AddResponse> {
	const { bytes, failure } = await receiveBytes(body, MAX_OBJECT_BYTES, endsAt);
	const text = decodeText(bytes);
	const parsed = parseText(text);
	const { status, newQueueItem } = isObject(parsed) ? parsed : {};
	const item = isObject(newQueueItem) ? newQueueItem : undefined;
	const queueId = parseQueueId(item?.queueId);
	return {
		...{ url, headers, statusCode, hide, failure, text, body: parsed, queueId },
		status: failure === undefined ? status : undefined,
		location: headers.location,
		queueItem: item && queueId !== '' ? hideStatus({ ...item, queueId }, hide) : undefined,
		namesQueueItem: QUEUE_ID.test(text),
		receivedQueueId: findQueueId(text),
	};
}

/** A field with a queue ID, whether or not the body is JSON as a whole. */
const QUEUE_ID = /"queueId"\s{0,9}:\s{0,9}(?:"\s{0,9}[^\s"]|-?\d)/;

/** A queue ID at any depth of a body; '' without one. */
function findQueueId(text: string): string {
	let found = '';
	try {
		JSON.parse(text, (key, value: unknown) => {
			if (key === 'queueId') found ||= parseQueueId(value);
			return value;
		});
	} catch {
		// A body that is not JSON is shown as text.
	}
	return found;
}

/** JavaScript rounds numbers beyond its integers, so such a number is no ID. */
function parseQueueId(value: unknown): string {
	const isId = typeof value === 'string' || Number.isSafeInteger(value);
	return isId && String(value).trim() !== '' ? String(value) : '';
}
