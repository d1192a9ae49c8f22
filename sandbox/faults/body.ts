import { Readable } from 'node:stream';
import type { FaultContext, FaultKind, Reply } from './Fault';
import { getLength, omitHeader, takeBytes } from './replies';

/** Sends the right body with another content type; an empty text sends none. */
const contentType: FaultKind<{ value: string }> = {
	options: { value: { type: 'string' } },
	required: ['value'],
	create: ({ value }) => ({
		after: (reply) => {
			const headers = omitHeader(reply.headers, 'content-type');
			if (value !== '') headers['content-type'] = value;
			return { ...reply, headers };
		},
	}),
};

/** Sends the service's status and content type with an empty body. */
const emptyBody: FaultKind<object> = {
	options: {},
	create: () => ({
		after: (reply) => ({
			...reply,
			headers: { ...reply.headers, 'content-length': '0' },
			body: Buffer.alloc(0),
		}),
	}),
};

interface CutOffOptions {
	/** Bytes of the body that arrive; half of it by default. */
	keepBytes?: number;
	/**
	 * `length` (the default) announces the length of the part, so the reply is valid HTTP.
	 * `chunked` announces no length and ends properly.
	 * `break` announces the whole length and breaks the connection within the body.
	 * `breakChunked` announces no length and breaks the connection before the last chunk.
	 */
	ending?: 'length' | 'chunked' | 'break' | 'breakChunked';
}

/** Ends the body early. */
const cutOff: FaultKind<CutOffOptions> = {
	options: {
		keepBytes: { type: 'integer', minimum: 0 },
		ending: { enum: ['length', 'chunked', 'break', 'breakChunked'] },
	},
	create: (options) => ({ after: (reply) => cut(reply, options) }),
};

function cut(reply: Reply, { keepBytes, ending = 'length' }: CutOffOptions): Reply {
	const wholeBytes = getLength(reply);
	const keptBytes = Math.min(keepBytes ?? Math.floor(wholeBytes / 2), wholeBytes);
	const body = takeBytes(reply.body, keptBytes);
	const headers = omitHeader(reply.headers, 'content-length');
	if (ending === 'chunked' || ending === 'breakChunked') {
		return { ...reply, headers, body, chunked: true, breaks: ending === 'breakChunked' };
	}
	headers['content-length'] = String(ending === 'break' ? wholeBytes : keptBytes);
	return { ...reply, headers, body, breaks: ending === 'break' };
}

/** Announces a wrong length. The body is complete, and the connection ends after it. */
const wrongLength: FaultKind<{ byBytes: number }> = {
	options: { byBytes: { type: 'integer' } },
	required: ['byBytes'],
	create: ({ byBytes }) => ({
		after: (reply) => {
			const length = String(Math.max(0, getLength(reply) + byBytes));
			const headers = { ...reply.headers, 'content-length': length, connection: 'close' };
			return { ...reply, headers };
		},
	}),
};

interface SlowBodyOptions {
	/** Bytes per piece. */
	pieceBytes: number;
	/** Pause before each piece, in real time. */
	delayMs: number;
}

/** Sends the head at once, and the body in small pieces. */
const slowBody: FaultKind<SlowBodyOptions> = {
	options: {
		pieceBytes: { type: 'integer', minimum: 1 },
		delayMs: { type: 'number', minimum: 0 },
	},
	required: ['pieceBytes', 'delayMs'],
	create: (options) => ({
		after: (reply, context) => ({
			...reply,
			headers: { ...reply.headers, 'content-length': String(getLength(reply)) },
			body: Readable.from(drip(reply.body, options, context), { objectMode: false }),
		}),
	}),
};

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

const NOTICE = '<br />\n<b>Warning</b>: mail(): {"failed"} in /srv/add.php on line 7<br />\n';

/** Puts text before the body, by default a notice of the service's language. */
const textBefore: FaultKind<{ text?: string }> = {
	options: { text: { type: 'string' } },
	create: ({ text = NOTICE }) => ({
		after: (reply) => {
			if (!Buffer.isBuffer(reply.body)) return reply;
			const headers = omitHeader(reply.headers, 'content-length');
			return { ...reply, headers, body: Buffer.concat([Buffer.from(text), reply.body]) };
		},
	}),
};

interface EncodingOptions {
	as: 'utf-8' | 'utf-16le' | 'utf-16be';
	/** Begins the body with a byte order mark. */
	byteOrderMark?: boolean;
	/** Names the encoding in the content type, as it should be; on by default. */
	declared?: boolean;
}

/** Sends the text of the reply in another encoding. */
const encoding: FaultKind<EncodingOptions> = {
	options: {
		as: { enum: ['utf-8', 'utf-16le', 'utf-16be'] },
		byteOrderMark: { type: 'boolean' },
		declared: { type: 'boolean' },
	},
	required: ['as'],
	create: ({ as, byteOrderMark = false, declared = true }) => ({
		after: (reply) => {
			if (!Buffer.isBuffer(reply.body)) return reply;
			const text = `${byteOrderMark ? '\ufeff' : ''}${reply.body.toString()}`;
			const body = Buffer.from(text, as === 'utf-8' ? 'utf8' : 'utf16le');
			const headers = omitHeader(reply.headers, 'content-length');
			headers['content-type'] = `application/json${declared ? `; charset=${as}` : ''}`;
			return { ...reply, headers, body: as === 'utf-16be' ? body.swap16() : body };
		},
	}),
};

/** Faults of a body's bytes, and of the headers that describe them. */
export const BODY_FAULTS = {
	...{ contentType, emptyBody, cutOff, wrongLength, slowBody, textBefore, encoding },
};
