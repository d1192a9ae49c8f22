import { Readable } from 'node:stream';
import type { Fault, FaultContext, Reply } from './Fault';
import { getLength, omitHeader, takeBytes } from './replies';

/** Sends the right body with another content type; an empty text sends none. */
const contentType = ({ value }: { value: string }): Fault => ({
	after: (reply) => {
		const headers = omitHeader(reply.headers, 'content-type');
		if (value !== '') headers['content-type'] = value;
		return { ...reply, headers };
	},
});

/** Sends the service's status and content type with an empty body. */
const emptyBody = (): Fault => ({
	after: (reply) => ({
		...reply,
		headers: { ...reply.headers, 'content-length': '0' },
		body: Buffer.alloc(0),
	}),
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
	const body = takeBytes(reply.body, keptBytes);
	const headers = omitHeader(reply.headers, 'content-length');
	if (ending === 'breakChunked') return { ...reply, headers, body, chunked: true, breaks: true };
	headers['content-length'] = String(ending === 'break' ? wholeBytes : keptBytes);
	return { ...reply, headers, body, breaks: ending === 'break' };
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
	const chunks = Buffer.isBuffer(body) ? [body] : (body as AsyncIterable<Buffer>);
	for await (const chunk of chunks) {
		for (let start = 0; start < chunk.length; start += pieceBytes) {
			await context.wait(delayMs);
			yield chunk.subarray(start, start + pieceBytes);
		}
	}
}

/** Faults of a body's bytes, and of the headers that describe them. */
export const BODY_FAULTS = {
	...{ contentType, emptyBody, cutOff, slowBody },
};
