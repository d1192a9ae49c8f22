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
const UNCERTAIN_CODES = new Set(['ECONNRESET', 'ECONNABORTED', 'ETIMEDOUT', 'EPIPE']);

/** What the errors of n8n's SSRF protection are called, which it also throws while it connects. */
const BLOCKED = 'SsrfBlocked';
const MOST_CAUSES = 5;

/** The HTTP client's name for an answer that broke off in its middle. */
const BROKEN_OFF = 'ERR_BAD_RESPONSE';

/**
 * Tells what an error is that came instead of an answer. n8n hands on what its HTTP client has
 * thrown as the `cause` of a `NodeApiError`; with any other cause, the request was never sent.
 */
export function readFailure(error: unknown): RequestFailure {
	if (error instanceof RequestFailure) return error;
	const { message, cause } = error as {
		message?: unknown;
		cause?: { isAxiosError?: unknown; code?: unknown };
	};
	const words = typeof message === 'string' ? { serviceMessage: message } : {};
	if (isBlocked(error)) return new RequestFailure('blocked');
	if (cause?.isAxiosError !== true) return new RequestFailure('unsent', words);

	const { code } = cause;
	if (typeof code !== 'string') return new RequestFailure('unexpected', words);
	if (code === 'ERR_CANCELED') return new RequestFailure('cancelled');
	if (code === BROKEN_OFF) return new RequestFailure('uncertain', { httpCode: 'ECONNRESET' });
	if (UNREACHED_CODES.has(code)) return new RequestFailure('unreached', { httpCode: code });
	if (UNCERTAIN_CODES.has(code)) return new RequestFailure('uncertain', { httpCode: code });
	return new RequestFailure('unexpected', { ...words, httpCode: code });
}

function isBlocked(error: unknown): boolean {
	let level = error as { name?: unknown; cause?: unknown } | null | undefined;
	for (let depth = 0; depth < MOST_CAUSES && level; depth++) {
		if (String(level.name).startsWith(BLOCKED)) return true;
		level = level.cause as typeof level;
	}
	return false;
}
