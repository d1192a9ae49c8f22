import { Readable } from 'node:stream';
import type { FaultContext, FaultKind } from './Fault';
import { getLength } from './replies';

interface SlowBodyOptions {
	/** Bytes per piece. */
	pieceBytes: number;
	/** Pause before each piece, in real time. */
	delayMs: number;
}

/** Sends the head at once, and the body in small pieces. */
export const slowBody: FaultKind<SlowBodyOptions> = {
	options: {
		pieceBytes: { type: 'integer', minimum: 1 },
		delayMs: { type: 'number', minimum: 0 },
	},
	required: ['pieceBytes', 'delayMs'],
	create: (options) => ({
		after: (reply, context) => ({
			...reply,
			headers: { ...reply.headers, 'content-length': String(getLength(reply)) },
			body: Readable.from(drip(reply.body, options, context), { objectMode: false }),
		}),
	}),
};

async function* drip(
	body: Buffer | Readable,
	{ pieceBytes, delayMs }: SlowBodyOptions,
	context: FaultContext,
): AsyncGenerator<Buffer> {
	const chunks = Buffer.isBuffer(body) ? [body] : (body as AsyncIterable<Buffer>);
	for await (const chunk of chunks) {
		for (let start = 0; start < chunk.length; start += pieceBytes) {
			await context.wait(delayMs);
			yield chunk.subarray(start, start + pieceBytes);
		}
	}
}
