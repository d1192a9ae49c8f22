import type { IN8nHttpFullResponse } from 'n8n-workflow';
import { classifyStreamError } from '../failures/classifyError';
import type { RequestFailure } from '../failures/failure';
import { createExcess } from '../failures/failure';
import { pause } from './pause';

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
		const error = await receiveBytes(body, MAX_ERROR_BYTES);
		return error.failure ? undefined : parseText(decodeText(error.bytes));
	}
	const { bytes, failure } = await receiveBytes(body, limits.bytes);
	if (failure) throw failure;
	if (isKnown(bytes)) return undefined;
	// Each of these steps takes long if the body is long. Between them, n8n does other work.
	const letOthersWork = async () => bytes.length > SHORT && (await pause(1));
	await letOthersWork();
	const text = decodeText(bytes);
	await letOthersWork();
	if (text.length <= SHORT || !isSparse(text, limits)) await checkSize(text, limits);
	const parsed = parseText(text);
	await letOthersWork();
	return parsed;
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
): Promise<{ bytes: Buffer; failure?: RequestFailure }> {
	if (!isStream(body)) return { bytes: Buffer.from(toJson(body)) };
	const chunks: Buffer[] = [];
	let length = 0;
	const failure = await new Promise<RequestFailure | undefined>((resolve) => {
		body.on('data', (chunk) => {
			length += chunk.length;
			if (length <= maxBytes) {
				chunks.push(chunk);
				return;
			}
			resolve(createExcess('tooLarge', `${maxBytes / MIB} MiB`));
			body.destroy();
		});
		body.on('end', () => {
			resolve(undefined);
		});
		// This listener stays: an error after the end would otherwise end n8n.
		body.on('error', (error) => {
			resolve(classifyStreamError(error));
		});
		body.on('close', () => {
			resolve(CLOSED);
		});
	});
	return { bytes: Buffer.concat(chunks), ...(failure && { failure }) };
}

/** A body that n8n has parsed already, as text again. */
function toJson(body: unknown): string {
	return typeof body === 'string' ? body : JSON.stringify(body ?? '');
}

/**
 * The text of a body. Servers send UTF-8, with or without a byte order mark, and sometimes UTF-16: then
 * one of the first two bytes is 0 or they are a mark, since JSON and HTML begin with ASCII.
 */
export function decodeText(bytes: Buffer): string {
	const [first = 1, second = 1] = bytes;
	const isBigEndian = (first === 0 && second !== 0) || (first === 0xfe && second === 0xff);
	const isLittleEndian = (first !== 0 && second === 0) || (first === 0xff && second === 0xfe);
	const text = isBigEndian
		? Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)))
				.swap16()
				.toString('utf16le')
		: bytes.toString(isLittleEndian ? 'utf16le' : 'utf8');
	return text.replace(/^\ufeff/, '');
}

/** @returns the parsed JSON, or the beginning of the text where it is not JSON */
export function parseText(text: string): unknown {
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

/** Bodies up to this length, such as that of any object, are handled without breaks. */
const SHORT = OBJECT_LIMITS.bytes;

/**
 * Checks the levels of list entries that are about to be passed on. `receiveBody` counts levels in
 * short bodies only, since counting those of a whole long list would take too long.
 *
 * @throws a RequestFailure when an entry has too many levels
 */
export function checkLevels(entries: readonly unknown[]): void {
	// The body and the list are levels too.
	if (hasLevels(entries, MAX_LEVELS - 1)) throw createExcess('tooDeep', `${MAX_LEVELS} levels`);
}

/** Whether a value has more levels than that many. A loop over its keys makes no list of its values. */
function hasLevels(value: unknown, levels: number): boolean {
	if (typeof value !== 'object' || value === null) return false;
	if (levels === 0) return true;
	for (const key in value) {
		if (hasLevels((value as Record<string, unknown>)[key], levels - 1)) return true;
	}
	return false;
}

const SAMPLES = 400;
const SAMPLE_LENGTH = 256;

/**
 * Whether a JSON text has less than half of the allowed parts, estimated from hundreds of random
 * places, where no service can hide them.
 */
function isSparse(text: string, limits: BodyLimits): boolean {
	let separators = 0;
	for (let sample = 0; sample < SAMPLES; sample++) {
		const start = Math.floor(Math.random() * (text.length - SAMPLE_LENGTH));
		for (let at = start; at < start + SAMPLE_LENGTH; at++) {
			const code = text.charCodeAt(at);
			if (code === COMMA || (code | EITHER) === OPENING) separators += 1;
		}
	}
	return (separators * text.length) / (SAMPLES * SAMPLE_LENGTH) < limits.parts / 2;
}

const SLICE_LENGTH = MIB;

/** @throws a RequestFailure when a JSON text would take too much memory */
async function checkSize(text: string, limits: BodyLimits): Promise<void> {
	const size = new JsonSize();
	for (let at = 0; at < text.length; at += SLICE_LENGTH) {
		if (at > 0) await pause(1);
		size.add(text.slice(at, at + SLICE_LENGTH));
		if (size.levels > MAX_LEVELS) throw createExcess('tooDeep', `${MAX_LEVELS} levels`);
		if (size.parts > limits.parts) throw createExcess('tooManyParts', `${limits.parts} values`);
	}
}

/** Estimates how large a JSON text would be in memory, without parsing it. */
export class JsonSize {
	/** Each entry of a list or an object is one part: a container has one more than commas. */
	parts = 0;

	/** The most containers within each other. */
	levels = 0;

	private level = 0;

	private isInString = false;

	private isEscaped = false;

	/** @param text the next part, which may begin and end anywhere */
	add(text: string): void {
		for (let at = this.isInString ? this.findStringEnd(text, 0) : 0; at < text.length; at++) {
			const code = text.charCodeAt(at);
			if (code === QUOTE) at = this.findStringEnd(text, at + 1) - 1;
			else if (code === COMMA) this.parts += 1;
			else if ((code | EITHER) === OPENING) this.open();
			else if ((code | EITHER) === CLOSING) this.level -= 1;
		}
	}

	private open(): void {
		this.parts += 1;
		this.level += 1;
		if (this.level > this.levels) this.levels = this.level;
	}

	/** @returns where the text goes on after the string that it is in at `start` */
	private findStringEnd(text: string, start: number): number {
		let end = start - 1;
		do {
			const from = end + 1;
			end = text.indexOf('"', from);
			const stop = end === -1 ? text.length : end;
			let first = stop;
			while (first > from && text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
			// The last part may have ended with a backslash.
			const isContinued = first === 0 && this.isEscaped;
			this.isEscaped = ((stop - first) % 2 === 1) !== isContinued;
		} while (end !== -1 && this.isEscaped);
		this.isInString = end === -1;
		return end === -1 ? text.length : end + 1;
	}
}
