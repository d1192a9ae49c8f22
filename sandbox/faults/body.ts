import { Readable } from 'node:stream';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { type Fault, type FaultContext, omitHeader, type Reply } from './Fault';

/** Returns the number of bytes of a body: counted, or as announced if it is a stream. */
function getLength({ body, headers }: Reply): number {
	return Buffer.isBuffer(body) ? body.length : Number(headers['content-length'] ?? 0);
}

/** Sends the right body with another content type. */
const contentType = ({ value }: { value: string }): Fault => ({
	after: (reply) => ({ ...reply, headers: { ...reply.headers, 'content-type': value } }),
});

/** Sends the right body with other headers as well. */
const moreHeaders = ({ headers }: { headers: Record<string, string> }): Fault => ({
	after: (reply) => ({ ...reply, headers: { ...reply.headers, ...headers } }),
});

/** Sends the service's status and content type with an empty body. */
const emptyBody = (): Fault => ({
	after: (reply) => ({
		...reply,
		headers: { ...reply.headers, 'content-length': '0' },
		body: Buffer.alloc(0),
	}),
});

/** Sends the right body with spaces after it, up to this length. */
const longBody = ({ bytes }: { bytes: number }): Fault => ({
	after: (reply) => {
		const { body } = reply;
		if (!Buffer.isBuffer(body)) return reply;
		const spaces = Buffer.alloc(Math.max(0, bytes - body.length), ' ');
		const headers = omitHeader(reply, 'content-length');
		return { ...reply, headers, body: Buffer.concat([body, spaces]) };
	},
});

const PACKERS = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };

/** What a packed body repeats: 16 MB. */
const SPACES = Buffer.alloc(16_000_000, ' ');
let packedSpaces: ReturnType<typeof gzipSync> | undefined;

interface PackedBodyOptions {
	encoding: keyof typeof PACKERS;
	/** So many times 16 MB of spaces follow the body, with gzip alone. */
	times?: number;
}

/** Sends the right body packed. With spaces after it, it is a thousand times as long once it is unpacked. */
const packedBody = ({ encoding, times = 0 }: PackedBodyOptions): Fault => ({
	after: (reply) => {
		const { body } = reply;
		if (!Buffer.isBuffer(body)) return reply;
		const headers = { ...omitHeader(reply, 'content-length'), 'content-encoding': encoding };
		const packed = [PACKERS[encoding](body)];
		for (let i = 0; i < times; i++) packed.push((packedSpaces ??= gzipSync(SPACES)));
		return { ...reply, headers, body: Buffer.concat(packed) };
	},
});

/** Sends the right body with a field in its innermost object that is nested so deep. */
const deepField = ({ levels }: { levels: number }): Fault => ({
	after: (reply) => {
		if (!Buffer.isBuffer(reply.body)) return reply;
		const text = reply.body.toString();
		const at = text.lastIndexOf('{') + 1;
		const field = `"extra":${'['.repeat(levels)}${']'.repeat(levels)}`;
		const end = text.slice(at).startsWith('}') ? '' : ',';
		const body = Buffer.from(at === 0 ? text : text.slice(0, at) + field + end + text.slice(at));
		return { ...reply, headers: omitHeader(reply, 'content-length'), body };
	},
});

interface CutOffOptions {
	/** Bytes of the body that arrive; half of it by default. */
	keepBytes?: number;
	/**
	 * `length` (the default) announces the length of the part, so the reply is valid HTTP.
	 * `break` announces the whole length and breaks the connection within the body.
	 * `breakChunked` announces no length and breaks the connection before the last chunk.
	 */
	ending?: 'length' | 'break' | 'breakChunked';
}

/** Ends the body early. */
const cutOff = (options: CutOffOptions): Fault => ({ after: (reply) => cut(reply, options) });

function cut(reply: Reply, { keepBytes, ending = 'length' }: CutOffOptions): Reply {
	const wholeBytes = getLength(reply);
	const keptBytes = Math.min(keepBytes ?? Math.floor(wholeBytes / 2), wholeBytes);
	const body = Readable.from(takeBytes(reply.body, keptBytes), { objectMode: false });
	const headers = omitHeader(reply, 'content-length');
	if (ending === 'breakChunked') return { ...reply, headers, body, chunked: true, breaks: true };
	headers['content-length'] = String(ending === 'break' ? wholeBytes : keptBytes);
	return { ...reply, headers, body, breaks: ending === 'break' };
}

/** Yields the first bytes of a body, and reads no more than that from a stream. */
async function* takeBytes(body: Buffer | Readable, count: number): AsyncGenerator<Buffer> {
	let left = count;
	for await (const chunk of toChunks(body)) {
		if (left > 0) yield chunk.subarray(0, left);
		left -= chunk.length;
		if (left <= 0) return;
	}
}

function toChunks(body: Buffer | Readable): Buffer[] | AsyncIterable<Buffer> {
	return Buffer.isBuffer(body) ? [body] : body;
}

interface SlowBodyOptions {
	/** Bytes per piece. */
	pieceBytes: number;
	/** Pause before each piece, in real time. */
	delayMs: number;
}

/** Sends the head at once, and the body in small pieces. */
const slowBody = (options: SlowBodyOptions): Fault => ({
	after: (reply, context) => ({
		...reply,
		headers: { ...reply.headers, 'content-length': String(getLength(reply)) },
		body: Readable.from(drip(reply.body, options, context), { objectMode: false }),
	}),
});

async function* drip(
	body: Buffer | Readable,
	{ pieceBytes, delayMs }: SlowBodyOptions,
	context: FaultContext,
): AsyncGenerator<Buffer> {
	for await (const chunk of toChunks(body)) {
		for (let start = 0; start < chunk.length; start += pieceBytes) {
			await context.wait(delayMs);
			yield chunk.subarray(start, start + pieceBytes);
		}
	}
}

/** Faults of a body's bytes, and of the headers that describe them. */
export const BODY_FAULTS = {
	contentType,
	moreHeaders,
	emptyBody,
	longBody,
	packedBody,
	deepField,
	cutOff,
	slowBody,
};
