import { type Failure, type INode, NodeApiError, type NodeOperationError } from 'n8n-workflow';
import {
	BROKEN_OFF,
	CANCELLED,
	isAboutCredits,
	isOfKey,
	RequestFailure,
	TIMED_OUT,
} from './failure';
import { findProof } from './fate';
import { describeFailure, type FailureContext } from './texts';

type ClientError = Partial<Record<'isAxiosError' | 'code', unknown>>;

type ErrorOfN8n = ClientError & {
	message?: unknown;
	cause?: ClientError;
	httpCode?: unknown;
};

/** For an older n8n, which does not keep the code of every error. */
const CODES = { blocked: undefined, unreached: 'ECONNREFUSED', unsent: 'CERT_UNTRUSTED' };

/** The codes of a timeout, of the HTTP client and of the network. */
const TIMEOUT_CODES = ['ECONNABORTED', 'ETIMEDOUT'];

/** The beginning of the codes for a redirect that the HTTP client does not follow: there are too many, or it is no web address. */
const NOT_FOLLOWED = 'ERR_FR_';

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
		const httpCode = proof === 'blocked' ? undefined : (code ?? CODES[proof]);
		return new RequestFailure({ kind: proof, fate: 'notSent', httpCode });
	}
	if (code === undefined) {
		const isText = typeof message === 'string' && message !== '';
		const serviceMessage = isText ? message : 'The request could not be sent';
		return new RequestFailure({ kind: 'unsent', serviceMessage });
	}
	if (code === 'ERR_CANCELED') return CANCELLED;
	if (code.startsWith(NOT_FOLLOWED)) return new RequestFailure({ kind: 'redirected' });
	return TIMEOUT_CODES.includes(code) ? TIMED_OUT : BROKEN_OFF;
}

/** Where n8n shows only the message, it says what to do as well. n8n takes "canceled" in it for a stopped execution. */
export function putAllInMessage(error: NodeApiError | NodeOperationError): void {
	if (!error.description) return;
	error.message = `${error.message}. ${error.description}`.replaceAll('canceled', 'cancelled');
	error.description = null;
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

/**
 * The error that n8n shows for a failed request. It is made of the failure's facts alone: no request, and
 * so no key, is carried along.
 *
 * @param reason the failure, or what was thrown instead of a response
 * @returns an error with the `httpCode` by which n8n recognises a rate limit and a key problem
 */
export function createApiError(
	node: INode,
	reason: unknown,
	context: FailureContext,
): NodeApiError {
	const failure = classifyError(reason);
	const { message, description } = describeFailure(failure, context);
	const httpCode = failure.facts.httpCode ?? 'none';
	const error = new NodeApiError(node, { message, httpCode }, { message, description, httpCode });
	// n8n replaces the message with a stock text where it knows the code.
	error.message = message;
	error.description = description;
	error.messages = [];
	error.failure = { cause: getCause(failure), retryAfterMs: failure.facts.retryAfterMs };
	return error;
}

/**
 * n8n pauses a failing trigger by the cause of the failure: for 30 minutes if a person has to act, or
 * else a little longer each time. Without a cause, n8n would treat a web page or a 404 as permanent,
 * although both can pass. Older versions ignore the cause.
 */
function getCause(failure: RequestFailure): Failure['cause'] {
	const { kind } = failure;
	if (kind === 'badCredential' || isOfKey(failure)) return 'credential-invalid';
	if (isAboutCredits(failure)) return 'quota-exhausted';
	return kind === 'rateLimited' ? 'rate-limited' : 'temporarily-unavailable';
}
