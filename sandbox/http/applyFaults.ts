import { Readable } from 'node:stream';
import { setTimeout as waitInRealTime } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { SandboxContext } from '../control/context';
import type { RecordedRequest } from '../control/requestLog';
import type { Fault, FaultContext, Outcome, Reply } from '../faults/Fault';
import { sendReply } from './sendReply';

/**
 * Applies faults around the service: `before` as soon as a request has been read, even before its
 * key is checked; `after` when the reply is about to be sent.
 */
export function applyFaults(app: FastifyInstance, context: SandboxContext): void {
	app.addHook('preValidation', async (request, reply) => {
		const { record, rawBody } = request;
		if (!record) return;
		const { latencyMs } = context.store.settings;
		if (latencyMs > 0) await wait(latencyMs, record, context);
		const { operation, url } = record;
		const taken = context.faults.take({ operation, text: `${url}\n${rawBody}` });
		request.faults = taken.map(({ fault }) => fault);
		record.faults = taken.map(({ spec }) => spec.kind);
		const faultContext = createFaultContext(record, context);
		for (const fault of request.faults) {
			const outcome = await fault.before?.(faultContext);
			if (outcome === undefined) continue;
			reply.hijack();
			await sendReply(reply.raw, outcome, record);
			return;
		}
	});

	app.addHook('onSend', (request, reply, payload, done) => {
		const { record, faults = [] } = request;
		if (!record || !faults.some((fault) => fault.after !== undefined)) {
			if (record) record.status = reply.statusCode;
			done(null, payload);
			return;
		}
		// `done` is never called: fastify would correct the length and the end of the reply.
		alterReply(toReply(reply, payload), faults, createFaultContext(record, context))
			.then((outcome) => sendReply(reply.raw, outcome, record))
			.catch(() => reply.raw.destroy());
	});
}

async function alterReply(
	reply: Reply,
	faults: readonly Fault[],
	context: FaultContext,
): Promise<Outcome> {
	let altered = reply;
	for (const fault of faults) {
		const outcome = await fault.after?.(altered, context);
		if (outcome === undefined) continue;
		if (typeof outcome === 'string' || 'bytes' in outcome) return outcome;
		altered = outcome;
	}
	return altered;
}

function toReply(reply: FastifyReply, payload: unknown): Reply {
	const entries = Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]);
	const body =
		payload instanceof Readable || Buffer.isBuffer(payload)
			? payload
			: Buffer.from(typeof payload === 'string' ? payload : '');
	return {
		status: reply.statusCode,
		headers: Object.fromEntries(entries) as Reply['headers'],
		body,
	};
}

function createFaultContext(record: RecordedRequest, context: SandboxContext): FaultContext {
	return {
		now: () => context.clock.now(),
		wait: (delayMs) => wait(delayMs, record, context),
	};
}

async function wait(
	delayMs: number,
	record: RecordedRequest,
	context: SandboxContext,
): Promise<void> {
	if (context.wait) await context.wait(delayMs, record);
	// The timer is unreferenced: a delay must not keep the process of a closed sandbox alive.
	else await waitInRealTime(delayMs, undefined, { ref: false });
}
