import { actInPhase, type FaultKind, PHASE, type PhaseOption, type Reply } from './Fault';
import { createJsonReply } from './replies';

interface StatusOptions extends PhaseOption {
	status: number;
	/** Message of the API's error body; ignored if there is a `body`. */
	message?: string;
	/** Text is sent as it is, anything else as JSON. */
	body?: unknown;
	contentType?: string;
	headers?: Record<string, string>;
}

/** Replies with any status and any body; by default the API's error body. */
export const status: FaultKind<StatusOptions> = {
	options: {
		status: { type: 'integer', minimum: 200, maximum: 599 },
		message: { type: 'string' },
		body: {},
		contentType: { type: 'string' },
		headers: { type: 'object', additionalProperties: { type: 'string' } },
		phase: PHASE,
	},
	required: ['status'],
	create: (options) => actInPhase(options.phase, () => createReply(options)),
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
