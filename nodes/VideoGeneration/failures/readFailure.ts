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
 * Tells what an error is that came instead of an answer: one of the HTTP client, or else the request
 * was never sent.
 */
export function readFailure(error: unknown): RequestFailure {
	if (error instanceof RequestFailure) return error;
	const { message } = error as { message?: unknown };
	const words = typeof message === 'string' ? { serviceMessage: message } : {};
	if (isBlocked(error)) return new RequestFailure('blocked');
	const code = readClientCode(error as ErrorOfN8n);
	if (code === 'none') return new RequestFailure('unsent', words);
	if (code === undefined) return new RequestFailure('unexpected', words);
	if (code === 'ERR_CANCELED') return new RequestFailure('cancelled');
	if (code === BROKEN_OFF) return new RequestFailure('uncertain', { httpCode: 'ECONNRESET' });
	if (UNREACHED_CODES.has(code)) return new RequestFailure('unreached', { httpCode: code });
	if (UNCERTAIN_CODES.has(code)) return new RequestFailure('uncertain', { httpCode: code });
	return new RequestFailure('unexpected', { ...words, httpCode: code });
}

interface ErrorOfN8n {
	cause?: { isAxiosError?: unknown; code?: unknown };
	httpCode?: unknown;
}

/**
 * The HTTP client's own code. n8n hands on what the client has thrown as the `cause` of a
 * `NodeApiError`; before 2.34 it loses the cause. What is left is the code, or the status of an
 * answer that broke off in its middle: no status of a whole answer is thrown. That n8n is older than
 * promised, but installs this package: there, too, an add that may be paid is never called unsent.
 *
 * @returns `none` for an error that is not the client's
 */
function readClientCode({ cause, httpCode }: ErrorOfN8n): string | undefined {
	if (cause === undefined && typeof httpCode === 'string') {
		return /^\d+$/.test(httpCode) ? BROKEN_OFF : httpCode;
	}
	if (cause?.isAxiosError !== true) return 'none';
	return typeof cause.code === 'string' ? cause.code : undefined;
}

function isBlocked(error: unknown): boolean {
	let level = error as { name?: unknown; cause?: unknown } | null | undefined;
	for (let depth = 0; depth < MOST_CAUSES && level; depth++) {
		if (String(level.name).startsWith(BLOCKED)) return true;
		level = level.cause as typeof level;
	}
	return false;
}
