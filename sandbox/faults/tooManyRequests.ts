import { createJsonReply } from './createJsonReply';
import type { FaultKind } from './FaultKind';

interface TooManyRequestsOptions {
	/** The form of the Retry-After header, whose date is by the sandbox's clock. */
	retryAfter: 'seconds' | 'date' | 'none';
	seconds?: number;
	message?: string;
}

/** 429, refused before it was accepted. */
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
			return Promise.resolve(createJsonReply(429, { status: 'error', message }, headers));
		},
	}),
};
