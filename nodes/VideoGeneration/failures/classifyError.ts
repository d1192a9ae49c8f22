import { RequestFailure } from './failure';
import { findProof } from './fate';

/** The HTTP client's code for a response that broke off in its middle. */
const BROKEN_OFF = 'ERR_BAD_RESPONSE';

const TIMEOUTS = ['ECONNABORTED', 'ETIMEDOUT'];

interface ErrorOfN8n {
	message?: unknown;
	cause?: { isAxiosError?: unknown; code?: unknown };
	httpCode?: unknown;
}

/**
 * Classifies an error that was thrown instead of a response. Without proof that the request never left,
 * an error of the HTTP client is `uncertain`. Any other error is n8n's or our own.
 */
export function classifyError(error: unknown): RequestFailure {
	if (error instanceof RequestFailure) return error;
	const code = getClientCode(error as ErrorOfN8n);
	switch (findProof(error)) {
		case 'blocked':
			return new RequestFailure({ kind: 'blocked' });
		case 'unreached':
			return new RequestFailure({ kind: 'unreached', httpCode: code ?? 'ECONNREFUSED' });
		case 'untrusted':
			return new RequestFailure({ kind: 'unsent', httpCode: code ?? 'CERT_UNTRUSTED' });
		case undefined:
	}
	const { message } = error as ErrorOfN8n;
	if (code === undefined) {
		const serviceMessage = typeof message === 'string' ? message : undefined;
		return new RequestFailure({ kind: 'unsent', serviceMessage });
	}
	if (code === 'ERR_CANCELED') return new RequestFailure({ kind: 'cancelled' });
	return new RequestFailure({
		kind: 'uncertain',
		httpCode: TIMEOUTS.includes(code) || code === 'EPIPE' ? code : 'ECONNRESET',
	});
}

/** A stream that breaks off fails with the HTTP client's error, or with one of Node.js. */
export function classifyStreamError(error: unknown): RequestFailure {
	const { code, message } = error as { code?: unknown; message?: string };
	const failure = classifyError({ message, cause: error });
	if (failure.kind !== 'unsent') return failure;
	const httpCode = code === 'ETIMEDOUT' ? code : 'ECONNRESET';
	return new RequestFailure({ kind: 'uncertain', httpCode });
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
