import type { FaultKind } from './Fault';
import { omitHeader } from './replies';

interface EncodingOptions {
	as: 'utf-8' | 'utf-16le' | 'utf-16be';
	/** Begins the body with a byte order mark. */
	byteOrderMark?: boolean;
	/** Names the encoding in the content type, as it should be; on by default. */
	declared?: boolean;
}

/** Sends the text of the reply in another encoding. */
export const encoding: FaultKind<EncodingOptions> = {
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
