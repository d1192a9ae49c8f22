import type { FaultKind } from './Fault';

/** Sends the service's status and content type with an empty body. */
export const emptyBody: FaultKind<object> = {
	options: {},
	create: () => ({
		after: (reply) => ({
			...reply,
			headers: { ...reply.headers, 'content-length': '0' },
			body: Buffer.alloc(0),
		}),
	}),
};
