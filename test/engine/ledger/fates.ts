import type { Outcome as Reply } from '../../../sandbox/faults/Fault';

/*
 * The judge of an add: what its client can know from the bytes that reached it. The rules are those
 * of the documents, written down here a second time, and share nothing with the node.
 */

/**
 * `unsent`: it never left this machine. `refused`: the response proves that nothing was queued.
 * `told`: it was accepted, and the response had its id. `unknown`: anything else. `unreadable`: the
 * id was sent, but the connection broke so soon after it that the bytes may not have been read.
 */
export type Fate = 'unsent' | 'refused' | 'told' | 'unknown' | 'unreadable';

/** A response as far as it reached the client. */
export interface Answer {
	status: number;
	location: string | undefined;
	/** The bytes of the body that arrived; after a break, maybe not all of them were read. */
	body: Buffer;
	isWhole: boolean;
	/** Whether the client surely had time to read all of the body. */
	isRead: boolean;
}

/** Returns what a reply is for its client; undefined if nothing arrived that is a response. */
export function toAnswer(reply: Reply): Answer | undefined {
	if (typeof reply === 'string') return undefined;
	if ('bytes' in reply) {
		const first = reply.first && toAnswer(reply.first);
		return first && { ...first, isWhole: false, isRead: false };
	}
	const { status, headers } = reply;
	const hasBody = status !== 204 && status !== 304 && Buffer.isBuffer(reply.body);
	const body = hasBody ? (reply.body as Buffer) : Buffer.alloc(0);
	const isWhole = reply.breaks !== true;
	return { status, location: headers.location, body, isWhole, isRead: isWhole };
}

/** Parses the bytes of a response as far as they arrived. */
export function parseAnswer(bytes: Buffer): Answer | undefined {
	const end = bytes.indexOf('\r\n\r\n');
	if (end < 0) return undefined;
	const head = bytes.subarray(0, end).toString('latin1');
	const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(head) ?? [];
	if (status === undefined) return undefined;
	const getHeader = (name: string) => new RegExp(`^${name}: *(.*)$`, 'im').exec(head)?.[1]?.trim();
	const rest = bytes.subarray(end + 4);
	const isChunked = getHeader('transfer-encoding') === 'chunked';
	const length = Number(getHeader('content-length') ?? 0);
	const body = isChunked ? joinChunks(rest) : rest.subarray(0, length);
	const isWhole = isChunked ? rest.toString('latin1').endsWith('0\r\n\r\n') : rest.length >= length;
	return { status: Number(status), location: getHeader('location'), body, isWhole, isRead: true };
}

function joinChunks(bytes: Buffer): Buffer {
	const chunks: Buffer[] = [];
	for (let at = 0; at < bytes.length;) {
		const lineEnd = bytes.indexOf('\r\n', at);
		const size = lineEnd < 0 ? 0 : parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
		if (!(size > 0)) break;
		chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
		at = lineEnd + 2 + size + 2;
	}
	return Buffer.concat(chunks);
}

/**
 * The statuses with which a server says that it has not done what it was asked, whatever stands
 * between. Not among them: those of a gateway that may have lost the response of a service behind
 * it (408, 409, 423, 424, 425, 499, 5xx), and all that nobody has given this meaning.
 */
const REFUSALS = new Set([
	...[400, 401, 402, 403, 404, 405, 406, 410, 411, 413, 414, 415, 417, 421, 422, 429, 431, 451],
	...[307, 308],
]);

const REFUSING_WORDS = new Set([
	...['error', 'err', 'fail', 'failed', 'failure', 'unsuccessful'],
	...['invalid', 'denied', 'rejected', 'refused'],
]);

/** Whether a status alone proves that an add was refused. */
export function provesRefusal(status: number): boolean {
	return REFUSALS.has(status);
}

/** @param url address to which the add was sent */
export function judgeFate(answer: Answer | undefined, url: string): Fate {
	if (!answer) return 'unknown';
	const { status, location, body, isWhole, isRead } = answer;
	if (provesRefusal(status)) return 'refused';
	if ((status === 301 || status === 302) && isSamePathElsewhere(location, url)) return 'refused';
	if (status < 200 || status >= 300) return 'unknown';
	const text = decode(body);
	if (findQueueId(text) !== undefined) return isRead ? 'told' : 'unreadable';
	const json = isWhole ? parseObject(text) : undefined;
	const word = typeof json?.status === 'string' ? json.status.trim().toLowerCase() : '';
	return REFUSING_WORDS.has(word) ? 'refused' : 'unknown';
}

function isSamePathElsewhere(location: string | undefined, url: string): boolean {
	if (location === undefined || !URL.canParse(location, url)) return false;
	const [to, from] = [new URL(location, url), new URL(url)];
	return to.origin !== from.origin && to.pathname === from.pathname;
}

/** Decodes a body as a person would: by its byte order mark, or by the zeros in its first bytes. */
export function decode(body: Buffer): string {
	const [first, second] = body;
	const isLittle = (first === 0xff && second === 0xfe) || (body.length > 1 && second === 0);
	const isBig = (first === 0xfe && second === 0xff) || (body.length > 1 && first === 0);
	const even = body.subarray(0, body.length - (body.length % 2));
	const text = isLittle
		? even.toString('utf16le')
		: isBig
			? Buffer.from(even).swap16().toString('utf16le')
			: body.toString();
	return text.replace(/^\ufeff/, '');
}

/**
 * Finds the id of the new queue item where it stands whole, even in text that is cut off or has
 * other text before it. A number is whole once something else follows it.
 */
export function findQueueId(text: string): string | undefined {
	const item = /"newQueueItem"\s*:\s*\{[^{}]*?"queueId"\s*:\s*(?:"([^"\\]+)"|(\d+)\s*[,}])/.exec(
		text,
	);
	return item?.[1] ?? item?.[2];
}

function parseObject(text: string): Record<string, unknown> | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === 'object' && value !== null ? { ...value } : undefined;
	} catch {
		return undefined;
	}
}
