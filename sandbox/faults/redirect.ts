import type { FaultKind } from './Fault';

/** Redirects the client. */
export const redirect: FaultKind<{ location: string; status?: 301 | 302 | 303 | 307 | 308 }> = {
	options: {
		location: { type: 'string' },
		status: { enum: [301, 302, 303, 307, 308] },
	},
	required: ['location'],
	create: ({ location, status = 302 }) => ({
		before: () => ({ status, headers: { location }, body: Buffer.alloc(0) }),
	}),
};
