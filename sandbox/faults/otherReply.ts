import { Readable } from 'node:stream';
import { actInPhase, type FaultContext, type Fault, type PhaseOption, type Reply } from './Fault';

const createJsonReply = (status: number, body: unknown): Reply => ({
	status,
	headers: { 'content-type': 'application/json; charset=utf-8' },
	body: Buffer.from(JSON.stringify(body)),
});

interface StatusOptions extends PhaseOption {
	status: number;
	/** Message of the API's error body; ignored if there is a `body`. */
	message?: string;
	/** Text is sent as it is, anything else as JSON. */
	body?: unknown;
	contentType?: string;
	headers?: Record<string, string>;
	/** The service processes the request, and sends its own body with this status. */
	keepsBody?: boolean;
}

/** Replies with any status and any body; by default the API's error body. */
const status = (options: StatusOptions): Fault =>
	options.keepsBody
		? { after: (reply) => ({ ...reply, status: options.status }) }
		: actInPhase(options.phase, () => createReply(options));

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

const PAGE = '<!doctype html><html><head><title>Welcome</title></head><body>Hello</body></html>';

interface HtmlOptions extends PhaseOption {
	status?: number;
	body?: string;
}

/** Replies with a web page, as a wrong base URL or a proxy's login page does. */
const html = ({ status = 200, body = PAGE, phase }: HtmlOptions): Fault =>
	actInPhase(phase, () => createReply({ status, body, contentType: 'text/html; charset=utf-8' }));

/** Redirects the client. */
const redirect = ({
	location,
	status = 302,
}: {
	location: string;
	status?: 301 | 302 | 303 | 307 | 308;
}): Fault => ({
	before: () => ({ status, headers: { location }, body: Buffer.alloc(0) }),
});

interface TooManyRequestsOptions {
	/** Form of the Retry-After header. A date follows the sandbox's clock. */
	retryAfter: 'seconds' | 'date' | 'none';
	seconds?: number;
	message?: string;
}

/** Refuses the request with 429 before it is accepted. */
const tooManyRequests = ({
	retryAfter,
	seconds = 1,
	message = 'Too many requests',
}: TooManyRequestsOptions): Fault => ({
	before: ({ now }) => {
		const reply = createJsonReply(429, { status: 'error', message });
		const date = new Date(now() + seconds * 1000).toUTCString();
		if (retryAfter !== 'none') {
			reply.headers['retry-after'] = retryAfter === 'date' ? date : String(seconds);
		}
		return reply;
	},
});

/** Reports a failure with status 200 and an envelope that says `error`. */
const errorEnvelope = ({ message = 'Something went wrong' }: { message?: string }): Fault => ({
	before: () => createJsonReply(200, { status: 'error', message }),
});

interface EndlessBodyOptions {
	/** Bytes per piece. */
	pieceBytes: number;
	/** Pause before each piece, in real time. */
	delayMs: number;
}

/** Sends JSON that never ends, for as long as the client listens. */
const endlessBody = (options: EndlessBodyOptions): Fault => ({
	before: (context) => ({
		...createJsonReply(200, ''),
		body: Readable.from(flow(options, context), { objectMode: false }),
	}),
});

async function* flow(
	{ pieceBytes, delayMs }: EndlessBodyOptions,
	{ wait }: FaultContext,
): AsyncGenerator<Buffer> {
	yield Buffer.from('{"status":"success","message":"');
	for (;;) {
		await wait(delayMs);
		yield Buffer.alloc(pieceBytes, 'x');
	}
}

/** Faults that send another reply than the service's own. */
export const OTHER_REPLIES = {
	status,
	html,
	redirect,
	tooManyRequests,
	errorEnvelope,
	endlessBody,
};
