import type { FaultKind } from './FaultKind';

/** The service's own status and content type, and nothing after them. */
export const emptyBody: FaultKind<object> = {
	options: {},
	create: () => ({
		after: (reply) =>
			Promise.resolve({
				...reply,
				headers: { ...reply.headers, 'content-length': '0' },
				body: Buffer.alloc(0),
			}),
	}),
};
