import { RequestFailure } from './failure';
import { findProof } from './fate';

const TIMEOUTS = ['ECONNABORTED', 'ETIMEDOUT'];

interface ClientError {
	isAxiosError?: unknown;
	code?: unknown;
}

interface ErrorOfN8n extends ClientError {
	message?: unknown;
	cause?: ClientError;
	httpCode?: unknown;
}

/** For an older n8n, which does not keep the code of every error. */
const CODES = { blocked: undefined, unreached: 'ECONNREFUSED', unsent: 'CERT_UNTRUSTED' };

/**
 * Classifies an error that was thrown instead of a response. Without proof that the request never left,
 * an error of the HTTP client is `uncertain`. Any other error is n8n's or our own.
 */
export function classifyError(error: unknown): RequestFailure {
	if (error instanceof RequestFailure) return error;
	const { message } = error as ErrorOfN8n;
	const code = getClientCode(error as ErrorOfN8n);
	const proof = findProof(error);
	if (proof) {
		const httpCode = code ?? CODES[proof];
		return new RequestFailure({ kind: proof, ...(proof !== 'blocked' && { httpCode }) });
	}
	if (code === undefined) {
		const isText = typeof message === 'string' && message !== '';
		const serviceMessage = isText ? message : 'The request could not be sent';
		return new RequestFailure({ kind: 'unsent', serviceMessage });
	}
	if (code === 'ERR_CANCELED') return new RequestFailure({ kind: 'cancelled' });
	return createUncertain(TIMEOUTS.includes(code) || code === 'EPIPE' ? code : 'ECONNRESET');
}

/** A stream that breaks off fails with the HTTP client's error, or with one of Node.js. */
export function classifyStreamError(error: unknown): RequestFailure {
	const failure = classifyError(error);
	const { code } = error as ClientError;
	return failure.kind === 'unsent'
		? createUncertain(code === 'ETIMEDOUT' ? code : 'ECONNRESET')
		: failure;
}

export function createUncertain(httpCode: string): RequestFailure {
	return new RequestFailure({ kind: 'uncertain', httpCode });
}

/**
 * The HTTP client's own code, or undefined for an error that is not the client's. n8n passes the
 * client's error on as it is, or as the `cause` of a `NodeApiError`. Before 2.34 the cause is lost and
 * `httpCode` holds the code, or the status of a response that broke off in its middle.
 */
function getClientCode(error: ErrorOfN8n): string | undefined {
	const client = error.isAxiosError === true ? error : error.cause;
	if (client === undefined) return typeof error.httpCode === 'string' ? error.httpCode : undefined;
	return client.isAxiosError === true ? String(client.code) : undefined;
}
