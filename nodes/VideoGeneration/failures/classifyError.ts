import { RequestFailure } from './failure';

/** No connection was made, or it was refused before the request went out. */
const UNREACHED = /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|E(HOST|NET)(UNREACH|DOWN)|EADDRNOTAVAIL)$/;

/** The encrypted connection was not established: most often, the certificate is not trusted. */
const UNTRUSTED = /CERT|^(EPROTO|ERR_(TLS|SSL)_\w+|UNABLE_TO_\w+)$/;

/** The HTTP client, or Node.js, refuses such a request before it opens a connection. */
const UNSENT = /^ERR_(BAD_OPTION(_VALUE)?|BAD_REQUEST|NOT_SUPPORT|OUT_OF_RANGE|INVALID_\w+)$/;

/** The HTTP client's code for a response that broke off in its middle. */
const BROKEN_OFF = 'ERR_BAD_RESPONSE';

const TIMEOUTS = ['ECONNABORTED', 'ETIMEDOUT'];

/** The names of the errors of n8n's SSRF protection, which also throws while it connects. */
const BLOCKED = 'SsrfBlocked';
const MAX_CAUSES = 5;

interface ErrorOfN8n {
	message?: unknown;
	cause?: { isAxiosError?: unknown; code?: unknown };
	httpCode?: unknown;
}

/**
 * Classifies an error that was thrown instead of a response. An error of the HTTP client with an
 * unknown code is `uncertain`, since the request may have been carried out; any other error was thrown
 * before the request was sent.
 */
export function classifyError(error: unknown): RequestFailure {
	if (error instanceof RequestFailure) return error;
	if (isBlocked(error)) return new RequestFailure('blocked');
	const code = getClientCode(error as ErrorOfN8n);
	const { message } = error as ErrorOfN8n;
	const facts = typeof message === 'string' ? { serviceMessage: message } : {};
	if (code === undefined || UNSENT.test(code)) return new RequestFailure('unsent', facts);
	if (code === 'ERR_CANCELED') return new RequestFailure('cancelled');
	if (UNTRUSTED.test(code)) return new RequestFailure('unsent', { httpCode: code });
	if (UNREACHED.test(code)) return new RequestFailure('unreached', { httpCode: code });
	return new RequestFailure('uncertain', {
		httpCode: TIMEOUTS.includes(code) || code === 'EPIPE' ? code : 'ECONNRESET',
	});
}

/** A stream that breaks off fails with the HTTP client's error, or with one of Node.js. */
export function classifyStreamError(error: unknown): RequestFailure {
	const { code, message } = error as { code?: unknown; message?: string };
	const failure = classifyError({ message, cause: error });
	if (failure.kind !== 'unsent') return failure;
	const httpCode = code === 'ETIMEDOUT' ? code : 'ECONNRESET';
	return new RequestFailure('uncertain', { httpCode });
}

/**
 * The HTTP client's own code, or undefined for an error that is not the client's. n8n passes the
 * client's error on as the `cause` of a `NodeApiError`. Before 2.34 the cause is lost and `httpCode`
 * holds the code, or the status of a response that broke off in its middle.
 */
function getClientCode({ cause, httpCode }: ErrorOfN8n): string | undefined {
	if (cause === undefined && typeof httpCode === 'string') {
		return /^\d+$/.test(httpCode) ? BROKEN_OFF : httpCode;
	}
	if (cause?.isAxiosError !== true) return undefined;
	return typeof cause.code === 'string' ? cause.code : BROKEN_OFF;
}

function isBlocked(error: unknown): boolean {
	let level = error as { name?: unknown; cause?: unknown } | null | undefined;
	for (let depth = 0; depth < MAX_CAUSES && level; depth++) {
		if (String(level.name).startsWith(BLOCKED)) return true;
		level = level.cause as typeof level;
	}
	return false;
}
