import type { FaultKind, Reply } from './Fault';
import { getLength, omitHeader, takeBytes } from './replies';

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
export const cutOff: FaultKind<CutOffOptions> = {
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
