import { RequestFailure } from './requestFailure';

/** No connection came about, so the service cannot have seen the request. */
const UNREACHED_CODES = new Set([
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EHOSTUNREACH',
	'ENETUNREACH',
	'EADDRNOTAVAIL',
]);

/** The connection ended before the answer was there; what the service did is not known. */
const UNCERTAIN_CODES = new Set([
	'ECONNRESET',
	'ECONNABORTED',
	'ETIMEDOUT',
	'EPIPE',
	'ERR_BAD_RESPONSE',
]);

/**
 * Tells what an error is that came instead of an answer. n8n hands on network errors as a
 * `NodeApiError` whose `httpCode` is the network's code and whose `cause` is the client's error;
 * with any other cause, the request was never sent.
 */
export function readFailure(error: unknown): RequestFailure {
	if (error instanceof RequestFailure) return error;
	const { httpCode, message, cause } = error as {
		httpCode?: unknown;
		message?: unknown;
		cause?: unknown;
	};
	const words = typeof message === 'string' ? { serviceMessage: message } : {};
	if ((cause as { isAxiosError?: boolean } | undefined)?.isAxiosError !== true) {
		return new RequestFailure('unsent', words);
	}
	const code = typeof httpCode === 'string' ? httpCode : '';
	if (code === 'ERR_CANCELED') return new RequestFailure('cancelled');
	if (UNREACHED_CODES.has(code)) return new RequestFailure('unreached', { httpCode: code });
	if (UNCERTAIN_CODES.has(code)) return new RequestFailure('uncertain', { httpCode: code });
	return new RequestFailure('unexpected', { ...words, ...(code === '' ? {} : { httpCode: code }) });
}
