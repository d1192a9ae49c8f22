import type { FaultKind } from './FaultKind';

/** The service sends the client elsewhere. */
export const redirect: FaultKind<{ location: string; status?: 301 | 302 | 303 | 307 | 308 }> = {
	options: {
		location: { type: 'string' },
		status: { enum: [301, 302, 303, 307, 308] },
	},
	required: ['location'],
	create: ({ location, status = 302 }) => ({
		before: () => Promise.resolve({ status, headers: { location }, body: Buffer.alloc(0) }),
	}),
};
