import type { FaultKind } from './FaultKind';
import { readReplyLength } from './readReplyLength';

/** The announced length is off by `byBytes`; the body is whole, and the connection ends after it. */
export const wrongLength: FaultKind<{ byBytes: number }> = {
	options: { byBytes: { type: 'integer' } },
	required: ['byBytes'],
	create: ({ byBytes }) => ({
		after: (reply) => {
			const announcedBytes = Math.max(0, readReplyLength(reply) + byBytes);
			const headers = {
				...reply.headers,
				'content-length': String(announcedBytes),
				connection: 'close',
			};
			return Promise.resolve({ ...reply, headers });
		},
	}),
};
