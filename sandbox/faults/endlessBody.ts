import { Readable } from 'node:stream';
import type { FaultContext } from './FaultContext';
import type { FaultKind } from './FaultKind';

interface EndlessBodyOptions {
	/** Bytes in each piece; 64 KiB by default. */
	pieceBytes?: number;
	/** Pause before each piece, in real time; none by default. */
	delayMs?: number;
	status?: number;
	/** Let the service process the request first. */
	phase?: 'before' | 'after';
}

/** JSON begins, and never ends: it floods or drips for as long as somebody listens. */
export const endlessBody: FaultKind<EndlessBodyOptions> = {
	options: {
		pieceBytes: { type: 'integer', minimum: 1 },
		delayMs: { type: 'number', minimum: 0 },
		status: { type: 'integer', minimum: 200, maximum: 599 },
		phase: { enum: ['before', 'after'] },
	},
	create: ({ pieceBytes = 64 * 1024, delayMs = 0, status = 200, phase = 'before' }) => {
		const answer = (context: FaultContext) =>
			Promise.resolve({
				status,
				headers: { 'content-type': 'application/json; charset=utf-8' },
				body: Readable.from(flow(pieceBytes, delayMs, context), { objectMode: false }),
			});
		return phase === 'before'
			? { before: answer }
			: { after: (_reply, context) => answer(context) };
	},
};

async function* flow(
	pieceBytes: number,
	delayMs: number,
	context: FaultContext,
): AsyncGenerator<Buffer> {
	const piece = Buffer.alloc(pieceBytes, 'x');
	yield Buffer.from('{"status":"success","message":"');
	for (;;) {
		if (delayMs > 0) await context.wait(delayMs);
		yield piece;
	}
}
