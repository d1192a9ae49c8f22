import type { Fate } from './failure';

/** The response to an add, as far as it tells the fate of the add. */
export interface AddEvidence {
	statusCode: number;
	/** The address that the add was sent to, and the target of a redirect, if the response names one. */
	url: string;
	location?: unknown;
	/** The `status` of the body, where it is JSON. */
	status?: unknown;
	/** The ID of the new queue item, '' without one. */
	queueId: string;
	/** Whether the body names a queue item, whatever else it says. */
	namesQueueItem: boolean;
}

/** Decides the fate of an add that was answered, by its response alone. */
export function judgeAdd(evidence: AddEvidence): Fate {
	const { statusCode, queueId, namesQueueItem, status } = evidence;
	const isSuccess = statusCode >= 200 && statusCode <= 299;
	if (isSuccess && queueId !== '') return 'accepted';
	// A response that names a queue item contradicts its own refusal.
	if (namesQueueItem) return 'unknown';
	if (statusCode === PROXY_REFUSED) return 'notSent';
	const isRefused = isSuccess
		? typeof status === 'string' && REFUSALS.test(status.trim())
		: REFUSING_STATUSES.has(statusCode) || isElsewhere(evidence);
	return isRefused ? 'refused' : 'unknown';
}

/** A proxy asks for a user name and a password, and passes nothing on. */
const PROXY_REFUSED = 407;

/**
 * The statuses that prove that a request was not carried out. Not among them: 303, which points to the
 * result of a request that was carried out; and 408, 409, 423, 424, 425 and 499, which a gateway may send
 * after the service has accepted it.
 */
const REFUSING_STATUSES: ReadonlySet<number> = new Set([
	307, 308, 400, 401, 402, 403, 404, 405, 406, 410, 411, 413, 414, 415, 417, 421, 422, 429, 431,
	451,
]);

/** Words by which the `status` of a body says that nothing was done. */
const REFUSALS = /^(error|err|fail|failed|failure|unsuccessful|invalid|denied|rejected|refused)$/i;

/**
 * Whether a 301 or 302 only names another host for the same path, or https instead of http. Another path
 * may be that of the result of a request that was carried out.
 */
function isElsewhere({ statusCode, location, url }: AddEvidence): boolean {
	if (![301, 302].includes(statusCode) || typeof location !== 'string') return false;
	if (!URL.canParse(location, url)) return false;
	const [target, source] = [new URL(location, url), new URL(url)];
	return target.pathname === source.pathname && target.origin !== source.origin;
}

/** The kind of a failure that proves that its request never left n8n. */
export type Proof = 'unreached' | 'unsent' | 'blocked';

/** System calls that come before the first byte of a request. An error's code does not tell: the kernel reports `EHOSTUNREACH` for a read, too. */
const CONNECTING: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);

/**
 * Node.js's usual codes for a certificate that it did not accept ("X509 certificate error codes"). Other
 * codes with CERT in them may be alerts of the other side, which can arrive after the request.
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

/**
 * Node.js's words for a connection that failed before it was secure: nothing was sent by then. Without
 * "write EPROTO", a wrong version number can also come after the request.
 */
const INSECURE =
	/before secure TLS connection was established|^write EPROTO .*SSL routines.*wrong version number/;

/** The names of the errors of n8n's SSRF protection. */
const BLOCKED = 'SsrfBlocked';

/** The part of an error that can be evidence. */
type ErrorLevel = Partial<
	Record<
		'name' | 'code' | 'httpCode' | 'syscall' | 'message' | 'messages' | 'cause' | 'errors',
		unknown
	>
>;

/**
 * Finds the proof in an error that its request never left: it is an error of looking up or connecting,
 * of making the connection secure, or of n8n's own protection. n8n hands over the error of Node.js as the
 * innermost cause; an older n8n keeps no causes, and only texts.
 *
 * @returns undefined without proof
 */
export function findProof(error: unknown): Proof | undefined {
	const [proof, ...others] = findRoots(error).map(findProofOfRoot);
	return others.every((other) => other === proof) ? proof : undefined;
}

/**
 * The innermost errors: n8n wraps the error of its HTTP client, which wraps that of Node.js, or several
 * where Node.js has tried several addresses.
 */
function findRoots(error: unknown, outer: readonly unknown[] = []): ErrorLevel[] {
	// A cause of itself proves nothing.
	if (typeof error !== 'object' || error === null || outer.includes(error)) return [{}];
	const { cause, errors, name } = error as ErrorLevel;
	if (String(name).startsWith(BLOCKED)) return [error];
	const levels = [...outer, error];
	if (Array.isArray(errors) && errors.length > 0) {
		return errors.flatMap((each) => findRoots(each, levels));
	}
	return typeof cause === 'object' && cause !== null ? findRoots(cause, levels) : [error];
}

function findProofOfRoot(root: ErrorLevel): Proof | undefined {
	const { name, code, httpCode, message, messages, syscall } = root;
	if (String(name).startsWith(BLOCKED)) return 'blocked';
	if (CONNECTING.has(syscall)) return 'unreached';
	// An older n8n keeps the code and the text of an error that it has other words for.
	const [text = message] = Array.isArray(messages) ? (messages as unknown[]) : [];
	if (CERTIFICATE_CODES.has(code ?? httpCode) || INSECURE.test(String(text))) return 'unsent';
	if (syscall !== undefined || code !== undefined || typeof text !== 'string') return undefined;
	// The text begins with the system call: "connect ECONNREFUSED 127.0.0.1:80".
	const parts = text.split(' | ');
	return parts.every((part) => CONNECTING.has(part.split(' ')[0])) ? 'unreached' : undefined;
}
