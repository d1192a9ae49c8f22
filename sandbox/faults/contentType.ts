import type { FaultKind } from './FaultKind';
import { omitHeader } from './omitHeader';

/** The right body under a wrong content type; an empty one sends no such header. */
export const contentType: FaultKind<{ value: string }> = {
	options: { value: { type: 'string' } },
	required: ['value'],
	create: ({ value }) => ({
		after: (reply) => {
			const headers = omitHeader(reply.headers, 'content-type');
			if (value !== '') headers['content-type'] = value;
			return Promise.resolve({ ...reply, headers });
		},
	}),
};
