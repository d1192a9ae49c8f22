import type { IN8nHttpFullResponse } from 'n8n-workflow';
import { classifyStreamError, createUncertain } from '../failures/errors';
import type { RequestFailure } from '../failures/failure';
import { createExcess, TIMED_OUT } from '../failures/failure';
import { pause } from './pacing';

export interface HttpResponse extends Pick<
	IN8nHttpFullResponse,
	'body' | 'headers' | 'statusCode'
> {
	/** Removes the key that the request was sent with from a text. */
	hide: (text: string) => string;
	/** When its time is over, by `performance.now()`: n8n's timeout ends with the headers. */
	endsAt?: number;
}

const MIB = 1024 ** 2;

/** Maximum size of a response about one object: bodies are buffered in memory, hundreds at once. */
export const MAX_OBJECT_BYTES = MIB;

/** Maximum size of a list, which comes without pages: enough for a million videos of 268 bytes each. */
export const MAX_LIST_BYTES = 256 * MIB;

/** An error's body is read for its message only. */
const MAX_ERROR_BYTES = 64 * 1024;

/** How many characters of a body are kept that is not JSON. */
const TEXT_LENGTH = 100;

/** Created once: every stream closes, also after its end, and creating an error takes time. */
const CLOSED = createUncertain('ECONNRESET');

/** The part of a Node.js stream that is used here; n8n-workflow has no type for it. */
interface IncomingStream {
	on(event: 'data', listener: (chunk: Buffer) => void): void;
	on(event: 'end' | 'close', listener: () => void): void;
	on(event: 'error', listener: (error: Error) => void): void;
	destroy(): void;
}

/**
 * Receives the body of a response, and parses it where it is JSON.
 *
 * @param response its body is the stream that n8n hands over
 * @returns the parsed body; the beginning of its text where it is not JSON; undefined for the body of
 * an HTTP error that is too long or breaks off, since the status says enough
 * @throws a RequestFailure
 */
export async function receiveBody(
	{ body, statusCode, endsAt }: HttpResponse,
	maxBytes: number,
): Promise<unknown> {
	if (!isStream(body)) return body;
	if (statusCode >= 300) {
		const error = await receiveBytes(body, MAX_ERROR_BYTES, endsAt);
		return error.failure ? undefined : parseText(decodeText(error.bytes));
	}
	const { bytes, failure } = await receiveBytes(body, maxBytes, endsAt);
	if (failure) throw failure;
	return parseText(decodeText(bytes));
}

function isStream(body: unknown): body is IncomingStream {
	return typeof (body as Partial<IncomingStream> | null | undefined)?.on === 'function';
}

/**
 * Receives the bytes of a body. Listens to the stream's events, since a loop over the stream would copy
 * each chunk once more.
 *
 * @param body the stream that n8n hands over
 * @returns the bytes that arrived, and a failure unless they are all; never throws
 */
export async function receiveBytes(
	body: unknown,
	maxBytes: number,
	endsAt?: number,
): Promise<{ bytes: Buffer; failure?: RequestFailure }> {
	if (!isStream(body)) return { bytes: Buffer.from(toJson(body)) };
	const chunks: Buffer[] = [];
	let length = 0;
	const end = new AbortController();
	const failure = await new Promise<RequestFailure | undefined>((resolve) => {
		const giveUp = (reason: RequestFailure) => {
			resolve(reason);
			body.destroy();
		};
		if (endsAt !== undefined) {
			void pause(endsAt - performance.now(), end.signal).then((isOver) => {
				if (isOver) giveUp(TIMED_OUT);
			});
		}
		body.on('data', (chunk) => {
			length += chunk.length;
			if (length <= maxBytes) chunks.push(chunk);
			else giveUp(createExcess(`${maxBytes / MIB} MiB`));
		});
		body.on('end', () => {
			resolve(undefined);
		});
		// This listener stays: without one, an error after the end would crash n8n.
		body.on('error', (error) => {
			resolve(classifyStreamError(error));
		});
		body.on('close', () => {
			resolve(CLOSED);
		});
	});
	end.abort();
	return { bytes: Buffer.concat(chunks), ...(failure && { failure }) };
}

/** A body that n8n has parsed already, as text again. */
function toJson(body: unknown): string {
	return typeof body === 'string' ? body : JSON.stringify(body ?? '');
}

/** The text of a body, without a byte order mark. */
export function decodeText(bytes: Buffer): string {
	return bytes.toString().replace(/^\ufeff/, '');
}

/** @returns the parsed JSON, or the beginning of the text where it is not JSON */
export function parseText(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text.slice(0, TEXT_LENGTH);
	}
}
