import { type INode, NodeApiError, type NodeOperationError } from 'n8n-workflow';
import { BROKEN_OFF, isOfKey, RequestFailure, TIMED_OUT } from './failure';
import type { SharedFacts, SharedKind } from './failure';
import { describeFailure, type FailureContext, toLine } from './texts';

/** An error of n8n, of its HTTP client or of Node.js: what it holds is evidence. */
type ThrownError = Record<string, unknown>;

/** The codes of a timeout, of the HTTP client and of the network. An abort that is not ours is one, too. */
const TIMEOUT_CODES = ['ECONNABORTED', 'ERR_CANCELED', 'ETIMEDOUT'];

/**
 * Classifies an error that was thrown instead of a response. Without proof that the request never left,
 * an error of the HTTP client is `uncertain`. Any other error is n8n's or our own.
 */
export function classifyError(error: unknown): RequestFailure {
	if (error instanceof RequestFailure) return error;
	const proof = findProof(error);
	if (proof) return new RequestFailure({ ...proof, fate: 'notSent' });
	const code = getClientCode(error as ThrownError);
	if (code === undefined) {
		const { message } = error as ThrownError;
		const words = typeof message === 'string' ? toLine(message) : '';
		const serviceMessage = words || 'The request could not be sent';
		return new RequestFailure({ kind: 'unsent', serviceMessage });
	}
	// There are too many redirects, or one to no web address.
	if (code.startsWith('ERR_FR_')) return new RequestFailure({ kind: 'redirected' });
	return TIMEOUT_CODES.includes(code) ? TIMED_OUT : BROKEN_OFF;
}

/** Why a body broke off: its stream fails with the HTTP client's error, or with one of Node.js. */
export function explainBreak(error: unknown): RequestFailure {
	const reason = classifyError(error);
	return reason.kind === 'unsent' ? BROKEN_OFF : reason;
}

/**
 * The HTTP client's own code; undefined for another error. n8n passes the client's error on as it is, or as the `cause` of
 * a `NodeApiError`. Before 2.34, `httpCode` holds the code, or the status of a response that broke off in its middle.
 */
function getClientCode(error: ThrownError): string | undefined {
	const client = error.isAxiosError === true ? error : (error.cause as ThrownError | undefined);
	if (!client) return typeof error.httpCode === 'string' ? error.httpCode : undefined;
	return client.isAxiosError === true ? String(client.code) : undefined;
}

/** System calls that come before the first byte of a request. An error's code does not tell: the kernel reports `EHOSTUNREACH` for a read, too. */
const CONNECTING: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);

/**
 * Node.js's usual codes for a certificate that it did not accept ("X509 certificate error codes"). Other codes with CERT
 * may be alerts of the other side, which can arrive after the request.
 */
const CERTIFICATE_CODES: ReadonlySet<unknown> = new Set([
	'CERT_HAS_EXPIRED',
	'CERT_NOT_YET_VALID',
	'CERT_UNTRUSTED',
	'DEPTH_ZERO_SELF_SIGNED_CERT',
	'ERR_TLS_CERT_ALTNAME_INVALID',
	'SELF_SIGNED_CERT_IN_CHAIN',
	'UNABLE_TO_GET_ISSUER_CERT',
	'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
	'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Node.js's words for a connection that was closed before it was secure: nothing was sent by then. */
const CLOSED = 'before secure TLS connection was established';

/** Those for a service without TLS. Without "write EPROTO", a wrong version number can also come after the request. */
const NO_TLS = /^write EPROTO .*SSL routines.*wrong version number/;

/** An address of this machine, at the end of Node.js's words for a connection that was refused. */
const LOOPBACK = /(?<= )(127\.\S+|::1:\d+)$/;

/** The beginning of the names of the errors of n8n's SSRF protection. */
const BLOCKED = 'SsrfBlocked';

/** What a request that never left has failed with. */
type Proof = Pick<SharedFacts, 'httpCode' | 'loopback'> & { kind: SharedKind };

/**
 * Finds the proof in an error that its request never left: it is an error of looking up or connecting, of making the
 * connection secure, or of n8n's own protection. Several innermost errors have to prove the same.
 */
export function findProof(error: unknown): Proof | undefined {
	const proofs = findRoots(error).map(findProofOfRoot);
	// Node.js tries ::1 before 127.0.0.1, which people know.
	const proof = proofs.at(-1);
	return proofs.every((each) => each?.kind === proof?.kind) ? proof : undefined;
}

/**
 * The innermost errors: n8n wraps the error of its HTTP client, which wraps that of Node.js, or several where Node.js has
 * tried several addresses. Before 2.34, n8n keeps no causes, and only texts.
 */
function findRoots(error: unknown, outer: readonly unknown[] = []): ThrownError[] {
	// A cause of itself proves nothing.
	if (typeof error !== 'object' || error === null || outer.includes(error)) return [{}];
	const root = error as ThrownError;
	const { cause, errors, name } = root;
	if (String(name).startsWith(BLOCKED)) return [root];
	const levels = [...outer, root];
	if (Array.isArray(errors) && errors.length > 0) {
		return errors.flatMap((each) => findRoots(each, levels));
	}
	return typeof cause === 'object' && cause !== null ? findRoots(cause, levels) : [root];
}

function findProofOfRoot(root: ThrownError): Proof | undefined {
	const { name, code, message, messages, syscall } = root;
	if (String(name).startsWith(BLOCKED)) return { kind: 'blocked' };
	const httpCode = (code ?? root.httpCode ?? 'no code') as string;
	// Before 2.34, n8n keeps the code, and the text of an error that it has other words for.
	const [text = message] = Array.isArray(messages) ? (messages as unknown[]) : [];
	const [loopback] = LOOPBACK.exec(String(text)) ?? [];
	const unreached: Proof = { kind: 'unreached', httpCode, loopback };
	if (CONNECTING.has(syscall) || String(text).includes(CLOSED)) return unreached;
	const isInsecure = CERTIFICATE_CODES.has(httpCode) || NO_TLS.test(String(text));
	if (isInsecure) return { kind: 'unsent', httpCode };
	if (syscall !== undefined || code !== undefined || typeof text !== 'string') return undefined;
	// The text begins with the system call: "connect ECONNREFUSED 127.0.0.1:80".
	const isConnecting = (part: string) => CONNECTING.has(part.split(' ')[0]);
	return text.split(' | ').every(isConnecting) ? unreached : undefined;
}

/**
 * The error that n8n shows for a failure, or for what was thrown instead of a response. It is made of the failure's facts
 * alone, so no key is carried along. n8n recognises a rate limit and a key problem by its `httpCode`.
 */
export function createApiError(node: INode, reason: unknown, context: FailureContext) {
	const failure = classifyError(reason);
	const { message, description } = describeFailure(failure, context);
	const httpCode = failure.facts.httpCode ?? 'none';
	const error = new NodeApiError(node, { message, httpCode }, { message, description, httpCode });
	// n8n pauses a failing trigger by the cause: for 30 minutes if a person has to act, or else a little longer each time.
	// Without one, it would treat a web page or a 404 as permanent. Older versions ignore it.
	const isOfCredential = failure.kind === 'badCredential' || isOfKey(failure);
	const passing = failure.kind === 'rateLimited' ? 'rate-limited' : 'temporarily-unavailable';
	const cause = isOfCredential ? 'credential-invalid' : passing;
	// n8n replaces the message with a stock text where it knows the code. Without one, it would look for one in the texts.
	const shown = { message, description, httpCode: failure.facts.httpCode ?? null };
	const { retryAfterMs } = failure.facts;
	return Object.assign(error, { ...shown, messages: [], failure: { cause, retryAfterMs } });
}

/** Where n8n shows only the message, it says what to do as well. n8n takes "canceled" in it for a stopped execution. */
export function putAllInMessage(error: NodeApiError | NodeOperationError): void {
	if (!error.description) return;
	const whatHappened = error.message.replace(/\.$/, '');
	error.message = `${whatHappened}. ${error.description}`.replaceAll('canceled', 'cancelled');
	error.description = null;
}
