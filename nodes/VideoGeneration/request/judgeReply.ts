import type { IDataObject, IN8nHttpFullResponse } from 'n8n-workflow';
import { readRetryAfter } from './readRetryAfter';
import { readServiceMessage } from './readServiceMessage';
import { RequestFailure } from '../failures/requestFailure';

/**
 * Holds an answer against the specification: a 2xx whose body is a JSON object and whose `status`
 * is `success` ("Endpoints"). n8n is told not to throw on an HTTP error, so that the headers, and
 * with them `Retry-After`, arrive here.
 *
 * @returns the body; an array only where the service sends a list without its envelope, which the
 * specification reports of one prose example
 * @throws a RequestFailure that says what is wrong with the answer
 */
export function judgeReply(
	response: Pick<IN8nHttpFullResponse, 'body' | 'headers' | 'statusCode'>,
): IDataObject | IDataObject[] {
	const { body, headers, statusCode } = response;
	const httpCode = String(statusCode);
	const serviceMessage = readServiceMessage(body);
	const facts = { httpCode, ...(serviceMessage === undefined ? {} : { serviceMessage }) };

	if (statusCode === 429 || statusCode >= 500) {
		const retryAfterMs = readRetryAfter(headers, Date.now());
		const kind =
			statusCode === 429 ? 'rateLimited' : isLasting(statusCode) ? 'rejected' : 'uncertain';
		throw new RequestFailure(kind, {
			...facts,
			...(retryAfterMs === undefined ? {} : { retryAfterMs }),
		});
	}
	if (statusCode >= 400) throw new RequestFailure('rejected', facts);
	if (statusCode >= 300) {
		const { location } = headers;
		throw new RequestFailure('redirected', {
			httpCode,
			...(typeof location === 'string' ? { location } : {}),
		});
	}
	if (Array.isArray(body)) return body as IDataObject[];
	if (!isJsonObject(body)) {
		throw new RequestFailure('unreadable', { httpCode, found: describeBody(body) });
	}
	if (body.status !== 'success') throw new RequestFailure('unsuccessful', facts);
	return body;
}

/** 501 and 505 say that the service cannot do this at all: no later try will help. */
function isLasting(statusCode: number): boolean {
	return statusCode === 501 || statusCode === 505;
}

function isJsonObject(body: unknown): body is IDataObject {
	return typeof body === 'object' && body !== null;
}

function describeBody(body: unknown): string {
	if (body === undefined || body === null || body === '') return 'empty';
	if (typeof body !== 'string') return 'other';
	const start = body.trimStart();
	if (start.startsWith('<')) return 'html';
	return start.startsWith('{') || start.startsWith('[') ? 'cutOff' : 'other';
}
