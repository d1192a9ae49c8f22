import type { IDataObject } from 'n8n-workflow';
import type { RequestFailure } from '../failures/failure';
import { hideStatus, isObject, toText } from './response';
import type { HttpResponse } from './responseBody';
import { decodeText, MAX_OBJECT_BYTES, parseText, receiveBytes } from './responseBody';

/** The response to an add, with everything that can be read of it. */
export interface AddResponse extends Pick<HttpResponse, 'headers' | 'statusCode'> {
	/** Removes the key from a text. */
	hide: (text: string) => string;
	/** The address that the add was sent to. */
	url: string;
	/** The target of a redirect. */
	location: unknown;
	/** The parsed body; the beginning of its text where it is not JSON. */
	body: unknown;
	/** The `status` of a body that arrived whole. */
	status: unknown;
	text: string;
	/** The new queue item, if its ID can be read. */
	queueItem: IDataObject | undefined;
	/** The queue item's ID as it was received; '' without one. */
	queueId: string;
	/** A queue ID anywhere in the body; '' without one. */
	namedQueueId: string;
	/** Why the body did not arrive whole. */
	failure: RequestFailure | undefined;
}

/**
 * Receives the response to an add (specification, "POST /v1/queue/add"). A queue ID was paid for, so it
 * is taken from whatever arrived, also from a body that breaks off or is not JSON.
 */
export async function receiveAddResponse(
	url: string,
	{ body, headers, statusCode, hide = String, endsAt }: HttpResponse,
): Promise<AddResponse> {
	const { bytes, failure } = await receiveBytes(body, MAX_OBJECT_BYTES, endsAt);
	const text = decodeText(bytes);
	const parsed = parseText(text);
	const queueItem = findQueueItem(parsed, text);
	const queueId = (queueItem?.queueId as string | undefined) ?? '';
	return {
		...{ url, headers, statusCode, hide, failure, text },
		location: headers.location,
		body: parsed,
		status: failure === undefined && isObject(parsed) ? parsed.status : undefined,
		queueItem: queueItem && hideStatus(queueItem, hide),
		queueId,
		namedQueueId: queueId || parseId(QUEUE_ID.exec(text)?.[1] ?? ''),
	};
}

/** A field with a queue ID, up to the end of the ID, whether or not the body is JSON as a whole. */
const QUEUE_ID =
	/(?<!\\)"queueId"\s{0,9}:\s{0,9}("(?=\s{0,9}[^\s"])[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*(?=[\s,}]))/;

/** The beginning of a new queue item, up to the end of its ID. */
const NEW_ITEM = new RegExp(
	`(?<!\\\\)"newQueueItem"\\s{0,9}:\\s{0,9}(\\{[^{}[\\]]{0,4096}?${QUEUE_ID.source})`,
);

/** JavaScript rounds long numbers, so an ID that is a number is taken from the text. */
function findQueueItem(body: unknown, text: string): IDataObject | undefined {
	const item = isObject(body) && isObject(body.newQueueItem) ? body.newQueueItem : undefined;
	if (typeof item?.queueId === 'string' && item.queueId.trim() !== '') return item;
	const [, start = '', id = ''] = NEW_ITEM.exec(text) ?? [];
	const queueId = parseId(id) || toText(item?.queueId);
	if (queueId === '') return undefined;
	const fields = parseText(`${start}}`);
	return { ...(item ?? (isObject(fields) ? fields : {})), queueId };
}

function parseId(id: string): string {
	return id.startsWith('"') ? String(parseText(id)) : id;
}
