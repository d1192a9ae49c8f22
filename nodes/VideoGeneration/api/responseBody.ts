import type { IN8nHttpFullResponse } from 'n8n-workflow';
import { classifyStreamError } from '../failures/classifyError';
import { createExcess } from '../failures/failure';
import { pause } from './pause';

export type HttpResponse = Pick<IN8nHttpFullResponse, 'body' | 'headers' | 'statusCode'>;

/** Maximum response size: bodies are buffered in memory. */
export interface BodyLimits {
	bytes: number;
}

const MIB = 1024 ** 2;

/** For a response about one object, of which hundreds may be requested at once. */
export const OBJECT_LIMITS: BodyLimits = { bytes: MIB };

/** For a list, which comes without pages: enough for a million videos of 268 bytes each. */
export const LIST_LIMITS: BodyLimits = { bytes: 256 * MIB };

/** An error's body is read for its message only. */
const MAX_ERROR_BYTES = 64 * 1024;

/** The length of the beginning that tells what a body is, if it is not JSON. */
const TEXT_LENGTH = 100;

/** Created once: every stream closes, also after its end, and creating an error takes time. */
const CLOSED = classifyStreamError(new Error('The connection was closed'));

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
 * @param isKnown whether the bytes of a body are known, and need not be parsed
 * @returns the parsed body; the beginning of its text where it is not JSON; undefined for a known
 * body, and for that of an HTTP error that is too long or breaks off, since the status says enough
 * @throws a RequestFailure
 */
export async function receiveBody(
	{ body, statusCode }: HttpResponse,
	limits: BodyLimits,
	isKnown: (bytes: Buffer) => boolean = () => false,
): Promise<unknown> {
	if (!isStream(body)) return body;
	if (statusCode >= 300) {
		const error = await receive(body, MAX_ERROR_BYTES).catch(() => undefined);
		return error && parse(toText(error));
	}
	const bytes = await receive(body, limits.bytes);
	if (isKnown(bytes)) return undefined;
	// With a long body, each step takes long. In between, n8n does other work.
	const letOthersWork = async () => bytes.length > OBJECT_LIMITS.bytes && (await pause(1));
	const text = toText(bytes);
	await letOthersWork();
	const parsed = parse(text);
	await letOthersWork();
	return parsed;
}

function isStream(body: unknown): body is IncomingStream {
	return typeof (body as Partial<IncomingStream> | null | undefined)?.on === 'function';
}

/** Listens to the stream's events, since a loop over the stream would copy each chunk once more. */
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
			reject(createExcess(`${maxBytes / MIB} MiB`));
			body.destroy();
		});
		body.on('end', resolve);
		// This listener stays: an error after the end would otherwise end n8n.
		body.on('error', (error) => {
			reject(classifyStreamError(error));
		});
		body.on('close', () => {
			reject(CLOSED);
		});
	});
	return Buffer.concat(chunks);
}

function toText(bytes: Buffer): string {
	return bytes.toString().replace(/^\ufeff/, '');
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text.slice(0, TEXT_LENGTH);
	}
}
