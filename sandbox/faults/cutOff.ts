import type { FaultKind } from './FaultKind';
import { omitHeader } from './omitHeader';
import type { Reply } from './Reply';
import { readReplyLength } from './readReplyLength';
import { takeBytes } from './takeBytes';

interface CutOffOptions {
	/** How much of the body comes; half of it by default. */
	keepBytes?: number;
	/**
	 * `length`: the announced length is that of the part, so HTTP sees nothing wrong (the default).
	 * `chunked`: no length is announced, and the reply ends properly.
	 * `break`: the whole length is announced, and the connection breaks in the middle of the body.
	 * `breakChunked`: no length is announced, and the connection breaks before the last chunk.
	 */
	ending?: 'length' | 'chunked' | 'break' | 'breakChunked';
}

/** The body stops before its end. */
export const cutOff: FaultKind<CutOffOptions> = {
	options: {
		keepBytes: { type: 'integer', minimum: 0 },
		ending: { enum: ['length', 'chunked', 'break', 'breakChunked'] },
	},
	create: (options) => ({ after: (reply) => Promise.resolve(cut(reply, options)) }),
};

function cut(reply: Reply, { keepBytes, ending = 'length' }: CutOffOptions): Reply {
	const wholeBytes = readReplyLength(reply);
	const keptBytes = Math.min(keepBytes ?? Math.floor(wholeBytes / 2), wholeBytes);
	const body = takeBytes(reply.body, keptBytes);
	const headers = omitHeader(reply.headers, 'content-length');
	if (ending === 'chunked' || ending === 'breakChunked') {
		return { ...reply, headers, body, chunked: true, breaks: ending === 'breakChunked' };
	}
	const announcedBytes = ending === 'break' ? wholeBytes : keptBytes;
	headers['content-length'] = String(announcedBytes);
	return { ...reply, headers, body, breaks: ending === 'break' };
}
