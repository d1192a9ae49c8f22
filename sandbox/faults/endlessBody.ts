import { Readable } from 'node:stream';
import { actInPhase, type FaultContext, type FaultKind, PHASE, type PhaseOption } from './Fault';

interface EndlessBodyOptions extends PhaseOption {
	/** Bytes per piece; 64 KiB by default. */
	pieceBytes?: number;
	/** Pause before each piece, in real time; none by default. */
	delayMs?: number;
	status?: number;
}

/** Sends JSON that never ends, fast or slowly, for as long as the client listens. */
export const endlessBody: FaultKind<EndlessBodyOptions> = {
	options: {
		pieceBytes: { type: 'integer', minimum: 1 },
		delayMs: { type: 'number', minimum: 0 },
		status: { type: 'integer', minimum: 200, maximum: 599 },
		phase: PHASE,
	},
	create: ({ pieceBytes = 64 * 1024, delayMs = 0, status = 200, phase }) =>
		actInPhase(phase, (context) => ({
			status,
			headers: { 'content-type': 'application/json; charset=utf-8' },
			body: Readable.from(flow(pieceBytes, delayMs, context), { objectMode: false }),
		})),
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
