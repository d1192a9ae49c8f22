import type { Reply } from './Reply';

/** The length of a reply's body in bytes: counted, or as announced when it is a stream. */
export function readReplyLength(reply: Reply): number {
	if (Buffer.isBuffer(reply.body)) return reply.body.length;
	return Number(reply.headers['content-length'] ?? 0);
}
