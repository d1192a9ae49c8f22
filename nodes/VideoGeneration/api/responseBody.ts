import type { IN8nHttpFullResponse } from 'n8n-workflow';
import { classifyStreamError } from '../failures/classifyError';
import { createExcess } from '../failures/failure';

export type HttpResponse = Pick<IN8nHttpFullResponse, 'body' | 'headers' | 'statusCode'>;

/** Maximum response size: bodies are buffered in memory. */
export interface BodyLimits {
	bytes: number;
	/** Entries of objects and lists: a few bytes of JSON each, and many times that in memory. */
	parts: number;
}

const MIB = 1024 ** 2;

/** For a response about one object, of which hundreds may be requested at once. */
export const OBJECT_LIMITS: BodyLimits = { bytes: MIB, parts: 10_000 };

/** For a list, which comes without pages: enough for a million videos of 268 bytes each. */
export const LIST_LIMITS: BodyLimits = { bytes: 256 * MIB, parts: 10_000_000 };

/** n8n walks through data level by level, and so do the nodes after this one. */
const MAX_LEVELS = 100;

/** An error's body is read for its message only. */
const MAX_ERROR_BYTES = 64 * 1024;

/** As much of a body that is not JSON as is needed to tell what it is. */
const TEXT_LENGTH = 100;

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
 * @returns the parsed body; the beginning of its text where it is not JSON; undefined for the body
 * of an HTTP error that is too long or breaks off, since the status says enough
 * @throws a RequestFailure
 */
export async function receiveBody(
	{ body, statusCode }: HttpResponse,
	limits: BodyLimits,
): Promise<unknown> {
	if (!isStream(body)) return body;
	if (statusCode >= 300) {
		const error = await receive(body, MAX_ERROR_BYTES).catch(() => undefined);
		return error && parse(error);
	}
	const json = await receive(body, limits.bytes);
	const { parts, levels } = countParts(json);
	if (levels > MAX_LEVELS) throw createExcess('tooDeep', `${MAX_LEVELS} levels`);
	if (parts > limits.parts) throw createExcess('tooManyParts', `${limits.parts} values`);
	return parse(json);
}

function isStream(body: unknown): body is IncomingStream {
	return typeof (body as Partial<IncomingStream> | null | undefined)?.on === 'function';
}

/** Listens to the stream's events: a loop over the stream would copy each chunk once more. */
async function receive(body: IncomingStream, maxBytes: number): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	await new Promise<void>((resolve, reject) => {
		body.on('data', (chunk) => {
			bytes += chunk.length;
			if (bytes <= maxBytes) {
				chunks.push(chunk);
				return;
			}
			reject(createExcess('tooLarge', `${maxBytes / MIB} MiB`));
			body.destroy();
		});
		body.on('end', resolve);
		// This listener stays: an error after the end would otherwise end n8n.
		body.on('error', (error) => {
			reject(classifyStreamError(error));
		});
		body.on('close', () => {
			reject(classifyStreamError(new Error('The connection was closed')));
		});
	});
	return Buffer.concat(chunks);
}

function parse(body: Buffer): unknown {
	const text = body.toString().replace(/^\ufeff/, '');
	try {
		return JSON.parse(text);
	} catch {
		return text.slice(0, TEXT_LENGTH);
	}
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** The square bracket and the brace differ in this bit alone. */
const EITHER = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/**
 * How large a JSON text would be in memory, without parsing it: a pass over its bytes that skips all
 * strings. Each entry of a list or an object is one part: a container has one more than commas.
 */
export function countParts(json: Buffer): { parts: number; levels: number } {
	let parts = 0;
	let level = 0;
	let levels = 0;
	for (let at = 0; at < json.length; at++) {
		const byte = json[at] ?? 0;
		if (byte === QUOTE) at = findStringEnd(json, at);
		else if (byte === COMMA) parts += 1;
		else if ((byte | EITHER) === OPENING) {
			parts += 1;
			level += 1;
			if (level > levels) levels = level;
		} else if ((byte | EITHER) === CLOSING) level -= 1;
	}
	return { parts, levels };
}

function findStringEnd(json: Buffer, start: number): number {
	let end = start;
	do {
		end = json.indexOf(QUOTE, end + 1);
	} while (end !== -1 && isEscaped(json, end));
	return end === -1 ? json.length : end;
}

function isEscaped(json: Buffer, at: number): boolean {
	let before = at - 1;
	while (json[before] === BACKSLASH) before -= 1;
	return (at - before) % 2 === 0;
}
