import type { FaultKind } from './Fault';
import { createJsonReply } from './replies';

interface TooManyRequestsOptions {
	/** Form of the Retry-After header. A date follows the sandbox's clock. */
	retryAfter: 'seconds' | 'date' | 'none';
	seconds?: number;
	message?: string;
}

/** Refuses the request with 429 before it is accepted. */
export const tooManyRequests: FaultKind<TooManyRequestsOptions> = {
	options: {
		retryAfter: { enum: ['seconds', 'date', 'none'] },
		seconds: { type: 'number' },
		message: { type: 'string' },
	},
	required: ['retryAfter'],
	create: ({ retryAfter, seconds = 1, message = 'Too many requests' }) => ({
		before: ({ now }) => {
			const headers: Record<string, string> = {};
			if (retryAfter === 'seconds') headers['retry-after'] = String(seconds);
			if (retryAfter === 'date') {
				headers['retry-after'] = new Date(now() + seconds * 1000).toUTCString();
			}
			return createJsonReply(429, { status: 'error', message }, headers);
		},
	}),
};
