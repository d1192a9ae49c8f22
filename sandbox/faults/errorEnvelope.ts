import { createJsonReply } from './createJsonReply';
import type { FaultKind } from './FaultKind';

/** Status 200, and an envelope that says `error`: a failure in the clothes of a success. */
export const errorEnvelope: FaultKind<{ message?: string }> = {
	options: { message: { type: 'string' } },
	create: ({ message = 'Something went wrong' }) => ({
		before: () => Promise.resolve(createJsonReply(200, { status: 'error', message })),
	}),
};
