import type { FaultKind } from './Fault';
import { createJsonReply } from './replies';

/** Reports a failure with status 200 and an envelope that says `error`. */
export const errorEnvelope: FaultKind<{ message?: string }> = {
	options: { message: { type: 'string' } },
	create: ({ message = 'Something went wrong' }) => ({
		before: () => createJsonReply(200, { status: 'error', message }),
	}),
};
