import { omitHeader } from './omitHeader';
import type { Reply } from './Reply';

/** The same reply with another JSON body; a reply that is not a JSON object stays as it is. */
export function changeReplyJson(
	reply: Reply,
	change: (body: Record<string, unknown>) => void,
): Reply {
	if (!Buffer.isBuffer(reply.body)) return reply;
	if (!reply.headers['content-type']?.includes('json')) return reply;
	const body: unknown = JSON.parse(reply.body.toString());
	if (typeof body !== 'object' || body === null || Array.isArray(body)) return reply;
	change(body as Record<string, unknown>);
	const headers = omitHeader(reply.headers, 'content-length');
	return { ...reply, headers, body: Buffer.from(JSON.stringify(body)) };
}
