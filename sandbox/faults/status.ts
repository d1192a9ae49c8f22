import { createJsonReply } from './createJsonReply';
import type { FaultKind } from './FaultKind';
import type { Reply } from './Reply';

interface StatusOptions {
	status: number;
	/** Of the API's error body; not used with `body`. */
	message?: string;
	/** Text is sent as it is, anything else as JSON. */
	body?: unknown;
	contentType?: string;
	headers?: Record<string, string>;
	/** `after`: the request was processed (an add is accepted and paid), and this comes anyway. */
	phase?: 'before' | 'after';
}

/** Any status with any body; by default the API's error body. */
export const status: FaultKind<StatusOptions> = {
	options: {
		status: { type: 'integer', minimum: 200, maximum: 599 },
		message: { type: 'string' },
		body: {},
		contentType: { type: 'string' },
		headers: { type: 'object', additionalProperties: { type: 'string' } },
		phase: { enum: ['before', 'after'] },
	},
	required: ['status'],
	create: (options) =>
		options.phase === 'after'
			? { after: () => Promise.resolve(createReply(options)) }
			: { before: () => Promise.resolve(createReply(options)) },
};

function createReply(options: StatusOptions): Reply {
	const message = options.message ?? `Answered with ${options.status} by a fault of the sandbox`;
	const reply = createJsonReply(options.status, options.body ?? { status: 'error', message });
	if (typeof options.body === 'string') {
		reply.body = Buffer.from(options.body);
		reply.headers['content-type'] = 'text/plain; charset=utf-8';
	}
	if (options.contentType !== undefined) reply.headers['content-type'] = options.contentType;
	for (const [name, value] of Object.entries(options.headers ?? {})) {
		reply.headers[name.toLowerCase()] = value;
	}
	return reply;
}
