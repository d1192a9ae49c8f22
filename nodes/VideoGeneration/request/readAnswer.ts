import type { IN8nHttpFullResponse } from 'n8n-workflow';
import type { AnswerLimits } from './answerLimits';
import { DEEPEST_LEVEL } from './answerLimits';
import { countParts } from './countParts';
import { readStreamFailure } from '../failures/readStreamFailure';
import { refuseAnswer } from '../failures/refuseAnswer';

type Answer = Pick<IN8nHttpFullResponse, 'body' | 'headers' | 'statusCode'>;
/** What is used of a stream of Node.js, whose types are none of n8n's. */
interface Incoming {
	on(event: 'data', listener: (chunk: Buffer) => void): void;
	on(event: 'end' | 'close', listener: () => void): void;
	on(event: 'error', listener: (error: Error) => void): void;
	destroy(): void;
}

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

function isStream(body: unknown): body is Incoming {
	return typeof (body as Partial<Incoming> | null | undefined)?.on === 'function';
}

/** By its events: a loop over the stream would have each stretch of it copied once more. */
async function receive(body: Incoming, mostBytes: number): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	await new Promise<void>((resolve, reject) => {
		body.on('data', (chunk) => {
			bytes += chunk.length;
			if (bytes <= mostBytes) {
				chunks.push(chunk);
				return;
			}
			reject(refuseAnswer('tooLarge', `${mostBytes / 1024 ** 2} MiB`));
			body.destroy();
		});
		body.on('end', resolve);
		// It stays: an error that came after the end, with nobody listening, would end n8n.
		body.on('error', (error) => {
			reject(readStreamFailure(error));
		});
		body.on('close', () => {
			reject(readStreamFailure(new Error('The connection was closed')));
		});
	});
	return Buffer.concat(chunks);
}

/** Before it is parsed: a few bytes of JSON may become many in memory. */
function check(body: Buffer, limits: AnswerLimits): Buffer {
	const { parts, levels } = countParts(body);
	if (levels > DEEPEST_LEVEL) throw refuseAnswer('tooDeep', `${DEEPEST_LEVEL} levels`);
	if (parts > limits.parts) throw refuseAnswer('tooManyParts', `${limits.parts} values`);
	return body;
}

function parse(body: Buffer): Answer['body'] {
	const text = body.toString().replace(/^\ufeff/, '');
	try {
		return JSON.parse(text) as Answer['body'];
	} catch {
		return text.slice(0, SHOWN_LENGTH);
	}
}
