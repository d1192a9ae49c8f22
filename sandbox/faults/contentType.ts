import type { FaultKind } from './Fault';
import { omitHeader } from './replies';

/** Sends the right body with another content type; an empty text sends none. */
export const contentType: FaultKind<{ value: string }> = {
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
