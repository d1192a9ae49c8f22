import type { IDataObject } from 'n8n-workflow';
import type { RequestFailure } from '../failures/failure';
import { isObject } from './response';
import type { HttpResponse } from './responseBody';
import { decodeText, MAX_OBJECT_BYTES, parseText, receiveBytes } from './responseBody';

/** How much of a response of unknown fate is kept: enough for what is shown once the key is hidden. */
const KEPT_LENGTH = 4_096;

/** The response to an add, with everything that can be read of it. */
export interface AddResponse extends Pick<HttpResponse, 'headers' | 'statusCode'> {
	/** The address that the add was sent to. */
	url: string;
	/** The target of a redirect. */
	location: unknown;
	/** The parsed body; the beginning of its text where it is not JSON. */
	body: unknown;
	/** The `status` of a body that arrived whole. */
	status: unknown;
	/** The beginning of the body's text. */
	text: string;
	/** The new queue item, if its ID can be read. */
	queueItem: IDataObject | undefined;
	/** The queue item's ID as it was received; '' without one. */
	queueId: string;
	/** Why the body did not arrive whole. */
	failure: RequestFailure | undefined;
}

/**
 * Receives the response to an add (specification, "POST /v1/queue/add"). A queue ID was paid for, so it
 * is taken from whatever arrived, also from a body that breaks off or is not JSON.
 */
export async function receiveAddResponse(
	url: string,
	{ body, headers, statusCode }: HttpResponse,
): Promise<AddResponse> {
	const { bytes, failure } = await receiveBytes(body, MAX_OBJECT_BYTES);
	const text = decodeText(bytes);
	const parsed = parseText(text);
	const queueItem = readQueueItem(parsed, text) ?? scanQueueItem(text);
	return {
		...{ url, headers, statusCode, failure },
		location: headers.location,
		body: parsed,
		status: failure === undefined && isObject(parsed) ? parsed.status : undefined,
		text: text.slice(0, KEPT_LENGTH),
		queueItem,
		queueId: (queueItem?.queueId as string | undefined) ?? '',
	};
}

/** @returns the new queue item of a body that is JSON */
function readQueueItem(body: unknown, text: string): IDataObject | undefined {
	if (!isObject(body) || !isObject(body.newQueueItem)) return undefined;
	const { queueId } = body.newQueueItem;
	if (typeof queueId === 'number') {
		// JavaScript rounds long numbers, so a number is taken from the text.
		return { ...body.newQueueItem, queueId: scanQueueItem(text)?.queueId ?? String(queueId) };
	}
	return typeof queueId === 'string' && queueId.trim() !== '' ? body.newQueueItem : undefined;
}

const NEW_QUEUE_ITEM = /(?<!\\)"newQueueItem"\s*:\s*\{/g;
const TOKEN = /\s*("[^"\\]*(?:\\[^][^"\\]*)*"|-?\d[\d.eE+-]*(?=[\s,}])|true|false|null|[{}[\],:])/y;

/**
 * Finds the new queue item in a text that is not JSON as a whole: it is cut off, other text stands before
 * it, or a number in it is longer than JavaScript's. Only fields that stand there whole are taken.
 */
function scanQueueItem(text: string): IDataObject | undefined {
	NEW_QUEUE_ITEM.lastIndex = 0;
	while (NEW_QUEUE_ITEM.test(text)) {
		const { fields, end } = scanFields(text, NEW_QUEUE_ITEM.lastIndex);
		if (typeof fields.queueId === 'string' && fields.queueId.trim() !== '') return fields;
		// Continues after the scanned part, so that a text is scanned once.
		NEW_QUEUE_ITEM.lastIndex = end;
	}
	return undefined;
}

/** The plain fields of an object, from behind its opening brace to its end, or as far as it is JSON. */
function scanFields(text: string, start: number): { fields: IDataObject; end: number } {
	const fields: IDataObject = {};
	let level = 1;
	let name: string | undefined;
	let isValue = false;
	let end = start;
	while (level > 0) {
		TOKEN.lastIndex = end;
		const token = TOKEN.exec(text)?.[1];
		if (token === undefined) break;
		end = TOKEN.lastIndex;
		if ('{['.includes(token)) level += 1;
		else if ('}]'.includes(token)) level -= 1;
		else if (level > 1) continue;
		else if (token === ':') isValue = true;
		else if (token === ',') isValue = false;
		else if (!isValue) name = String(parseText(token));
		else if (name !== undefined) fields[name] = parseValue(name, token);
	}
	return { fields, end };
}

/** JavaScript rounds long numbers, so an ID that is a number stays text. */
function parseValue(name: string, token: string): IDataObject[string] {
	return name === 'queueId' && /^[-\d]/.test(token) ? token : (parseText(token) as string);
}
