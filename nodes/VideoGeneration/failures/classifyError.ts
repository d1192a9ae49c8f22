import { RequestFailure } from './failure';
import { findProof } from './fate';

/** The HTTP client's code for a response that broke off in its middle. */
const BROKEN_OFF = 'ERR_BAD_RESPONSE';

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
const CODES = { unreached: 'ECONNREFUSED', unsent: 'CERT_UNTRUSTED' };

/**
 * Classifies an error that was thrown instead of a response. Without proof that the request never left,
 * an error of the HTTP client is `uncertain`. Any other error is n8n's or our own.
 */
export function classifyError(error: unknown): RequestFailure {
	if (error instanceof RequestFailure) return error;
	const code = getClientCode(error as ErrorOfN8n);
	const proof = findProof(error);
	if (proof === 'blocked') return new RequestFailure({ kind: proof });
	if (proof) return new RequestFailure({ kind: proof, httpCode: code ?? CODES[proof] });
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
	const failure = classifyError(error);
	if (failure.kind !== 'unsent') return failure;
	const { code } = error as ClientError;
	const httpCode = code === 'ETIMEDOUT' ? code : 'ECONNRESET';
	return new RequestFailure({ kind: 'uncertain', httpCode });
}

/**
 * The HTTP client's own code, or undefined for an error that is not the client's. n8n passes the
 * client's error on as it is, or as the `cause` of a `NodeApiError`. Before 2.34 the cause is lost and
 * `httpCode` holds the code, or the status of a response that broke off in its middle.
 */
function getClientCode(error: ErrorOfN8n): string | undefined {
	const { cause, httpCode } = error;
	const client = error.isAxiosError === true ? error : cause;
	if (client === undefined && typeof httpCode === 'string') {
		return /^\d+$/.test(httpCode) ? BROKEN_OFF : httpCode;
	}
	if (client?.isAxiosError !== true) return undefined;
	return typeof client.code === 'string' ? client.code : BROKEN_OFF;
}
