import type { RequestFailure } from './failure';

/**
 * What became of an add, of which a second one would be paid for again:
 * - `notSent`: there is proof that it never left
 * - `refused`: the service answered with proof that nothing was queued
 * - `accepted`: the response holds the new queue ID
 * - `unknown`: everything else, since the absence of evidence proves nothing
 */
export type Fate = 'notSent' | 'refused' | 'accepted' | 'unknown';

/** What came of sending a request: the error that n8n threw instead of a response, or the response. */
export type Outcome =
	| { error: unknown }
	| {
			statusCode: number;
			/** The address that the request was sent to. */
			url: string;
			/** The target of a redirect, if the response names one. */
			location?: unknown;
			/** The `status` of the body, where the body could be read whole. */
			status?: unknown;
			/** The new queue ID, '' without one. */
			queueId: string;
	  };

/** Decides the fate of an add by its outcome alone. */
export function judgeAdd(outcome: Outcome): Fate {
	if ('error' in outcome) return findProof(outcome.error) === undefined ? 'unknown' : 'notSent';
	const { statusCode, queueId, status } = outcome;
	if (statusCode < 200 || statusCode > 299) {
		return isRefusingStatus(statusCode) || isElsewhere(outcome) ? 'refused' : 'unknown';
	}
	if (queueId !== '') return 'accepted';
	return isRefusal(status) ? 'refused' : 'unknown';
}

/**
 * The statuses that prove that a request was not carried out. Not among them: 303, which points to the
 * result of a request that was carried out; 408, 409, 423, 424, 425 and 499, which a gateway may send
 * after the service has accepted it; and 407, which comes from a proxy.
 */
const REFUSING_STATUSES: ReadonlySet<number> = new Set([
	...[400, 401, 402, 403, 404, 405, 406, 410, 411, 413, 414, 415, 417, 421, 422, 429, 431, 451],
	...[307, 308],
]);

/** Whether a status alone proves that a request was not carried out. */
function isRefusingStatus(statusCode: number): boolean {
	return REFUSING_STATUSES.has(statusCode);
}

/**
 * Whether a 301 or 302 only names another host for the same path, or https instead of http. Another path
 * may be that of the result of a request that was carried out.
 */
function isElsewhere({ statusCode, location, url }: Exclude<Outcome, { error: unknown }>): boolean {
	if (![301, 302].includes(statusCode) || typeof location !== 'string') return false;
	if (!URL.canParse(location, url)) return false;
	const [target, source] = [new URL(location, url), new URL(url)];
	return target.pathname === source.pathname && target.origin !== source.origin;
}

/** Words by which a service says that it did not do what it was asked to. */
const REFUSALS = /^(error|err|fail|failed|failure|unsuccessful|invalid|denied|rejected|refused)$/i;

/** Whether the `status` of a body says that nothing was done. */
function isRefusal(status: unknown): boolean {
	return typeof status === 'string' && REFUSALS.test(status.trim());
}

/**
 * Whether a clear may have been carried out although no proper response came. `judgeAdd`
 * is stricter: a second clear costs nothing.
 */
export function mayBeCarriedOut({ facts }: RequestFailure): boolean {
	switch (facts.kind) {
		case 'uncertain':
		case 'unreadable':
		case 'incomplete':
			return true;
		case 'cancelled':
			return facts.tries !== 0;
		case 'unsuccessful':
			return !isRefusal(facts.bodyStatus);
		case 'rejected':
		case 'redirected':
			return !isRefusingStatus(Number(facts.httpCode));
		default:
			return false;
	}
}

/** The kind of a failure that proves that its request never left n8n. */
export type Proof = 'unreached' | 'unsent' | 'blocked';

/** System calls that come before the first byte of a request. An error's code does not tell: the kernel reports `EHOSTUNREACH` for a read, too. */
const CONNECTING: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);

/**
 * Node.js's codes for a certificate that it did not accept ("X509 certificate error codes"). Other codes
 * with CERT in them are alerts of the other side, which can arrive after the request.
 */
const CERTIFICATE_CODES: ReadonlySet<unknown> = new Set([
	...['CERT_CHAIN_TOO_LONG', 'CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'CERT_REJECTED'],
	...['CERT_REVOKED', 'CERT_SIGNATURE_FAILURE', 'CERT_UNTRUSTED', 'CRL_HAS_EXPIRED'],
	...['CRL_NOT_YET_VALID', 'CRL_SIGNATURE_FAILURE', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
	...['ERROR_IN_CERT_NOT_AFTER_FIELD', 'ERROR_IN_CERT_NOT_BEFORE_FIELD'],
	...['ERROR_IN_CRL_LAST_UPDATE_FIELD', 'ERROR_IN_CRL_NEXT_UPDATE_FIELD'],
	...['ERR_TLS_CERT_ALTNAME_INVALID', 'HOSTNAME_MISMATCH', 'INVALID_CA', 'INVALID_PURPOSE'],
	...['PATH_LENGTH_EXCEEDED', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY'],
	...['UNABLE_TO_DECRYPT_CERT_SIGNATURE', 'UNABLE_TO_DECRYPT_CRL_SIGNATURE', 'UNABLE_TO_GET_CRL'],
	...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
	...['UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
]);

/** The names of the errors of n8n's SSRF protection. */
const BLOCKED = 'SsrfBlocked';

/** The part of an error that can be evidence. */
interface ErrorLevel {
	name?: unknown;
	code?: unknown;
	httpCode?: unknown;
	syscall?: unknown;
	message?: unknown;
	messages?: unknown;
	cause?: unknown;
	errors?: unknown;
}

/** n8n wraps the error of its HTTP client, which wraps that of Node.js. */
const MAX_LEVELS = 8;

/**
 * Finds the proof in an error that its request never left: it is an error of looking up or connecting,
 * of the service's certificate, or of n8n's own protection. n8n hands over the error of Node.js as the
 * innermost cause; an older n8n keeps no causes, and only texts.
 *
 * @returns undefined without proof
 */
export function findProof(error: unknown): Proof | undefined {
	const roots = findRoots(error, MAX_LEVELS);
	const [proof, ...others] = roots.map(findProofOfRoot);
	return others.every((other) => other === proof) ? proof : undefined;
}

/** The innermost errors, several where Node.js has tried several addresses. */
function findRoots(error: unknown, levels: number): ErrorLevel[] {
	if (typeof error !== 'object' || error === null) return [{}];
	const { cause, errors, name } = error as ErrorLevel;
	if (levels === 0) return [{}];
	if (String(name).startsWith(BLOCKED)) return [error];
	if (Array.isArray(errors) && errors.length > 0) {
		return errors.flatMap((each) => findRoots(each, levels - 1));
	}
	return typeof cause === 'object' && cause !== null ? findRoots(cause, levels - 1) : [error];
}

function findProofOfRoot(root: ErrorLevel): Proof | undefined {
	const { name, code, syscall } = root;
	if (String(name).startsWith(BLOCKED)) return 'blocked';
	if (CONNECTING.has(syscall)) return 'unreached';
	if (CERTIFICATE_CODES.has(code)) return 'unsent';
	return syscall === undefined && code === undefined ? findProofInText(root) : undefined;
}

/** The texts of an older n8n begin with the system call: "connect ECONNREFUSED 127.0.0.1:80". */
function findProofInText({ message, messages, httpCode }: ErrorLevel): Proof | undefined {
	if (CERTIFICATE_CODES.has(httpCode)) return 'unsent';
	// n8n keeps the text as the message if it has no other words for the code.
	const [text = message] = Array.isArray(messages) ? (messages as unknown[]) : [];
	if (typeof text !== 'string' || text === '') return undefined;
	const parts = text.split(' | ');
	return parts.every((part) => CONNECTING.has(part.split(' ')[0])) ? 'unreached' : undefined;
}
