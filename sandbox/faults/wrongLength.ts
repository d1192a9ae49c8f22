import type { FaultKind } from './Fault';
import { getLength } from './replies';

/** Announces a wrong length. The body is complete, and the connection ends after it. */
export const wrongLength: FaultKind<{ byBytes: number }> = {
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
