import type { IN8nHttpFullResponse } from 'n8n-workflow';
import type { AnswerLimits } from './answerLimits';
import { DEEPEST_LEVEL } from './answerLimits';
import { countParts } from './countParts';
import { readStreamFailure } from './readStreamFailure';
import { RequestFailure } from './requestFailure';

type Answer = Pick<IN8nHttpFullResponse, 'body' | 'headers' | 'statusCode'>;
type Chunks = AsyncIterable<Buffer> & { on(event: 'error', listener: () => void): void };

/** More than this is no error's text. */
const LONGEST_ERROR_BYTES = 64 * 1024;
/** Enough of an answer to tell what it is, if it is no JSON. */
const SHOWN_LENGTH = 100;

/**
 * Takes in the body of an answer, as JSON where it is some. n8n would take in whatever comes for as
 * long as it comes; here it ends with the limits, and with the signal that the request was sent with.
 *
 * @param response with its body as the stream that n8n hands over
 * @returns the answer with its body parsed, as text when that is not possible; without one when an
 * HTTP error has too long a body, or one that breaks off: the status says enough
 * @throws a RequestFailure
 */
export async function readAnswer(response: Answer, limits: AnswerLimits): Promise<Answer> {
	const { body, headers, statusCode } = response;
	if (!isStream(body)) return response;
	if (statusCode < 300) {
		return { headers, statusCode, body: parse(check(await receive(body, limits.bytes), limits)) };
	}
	const error = await receive(body, LONGEST_ERROR_BYTES).catch(() => undefined);
	return { headers, statusCode, body: error && parse(error) };
}

function isStream(body: unknown): body is Chunks {
	return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

async function receive(body: Chunks, mostBytes: number): Promise<Buffer> {
	// An error that comes after the last of it was read would end n8n.
	body.on('error', () => undefined);
	const chunks: Buffer[] = [];
	let bytes = 0;
	try {
		for await (const chunk of body) {
			bytes += chunk.length;
			if (bytes > mostBytes) throw refuse('tooLarge', `${mostBytes / 1024 ** 2} MiB`);
			chunks.push(chunk);
		}
	} catch (error) {
		throw error instanceof RequestFailure ? error : readStreamFailure(error);
	}
	return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

function check(body: Buffer, limits: AnswerLimits): Buffer {
	if (body.length <= DEEPEST_LEVEL) return body;
	const { parts, levels } = countParts(body);
	if (levels > DEEPEST_LEVEL) throw refuse('tooDeep', `${DEEPEST_LEVEL} levels`);
	if (parts > limits.parts) throw refuse('tooManyParts', `${limits.parts} values`);
	return body;
}

function refuse(found: string, limit: string): RequestFailure {
	return new RequestFailure('unreadable', { httpCode: '200', found, limit });
}

function parse(body: Buffer): Answer['body'] {
	const text = body.toString().replace(/^\ufeff/, '');
	try {
		return JSON.parse(text) as Answer['body'];
	} catch {
		return text.slice(0, SHOWN_LENGTH);
	}
}
