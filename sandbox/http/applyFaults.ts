import { Readable } from 'node:stream';
import { setTimeout as waitInRealTime } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Fault } from '../faults/Fault';
import type { FaultContext } from '../faults/FaultContext';
import type { Outcome, Reply } from '../faults/Reply';
import type { RecordedRequest } from '../control/RecordedRequest';
import type { SandboxContext } from '../control/SandboxContext';
import { sendReply } from './sendReply';

interface Faulted {
	faults: Fault[];
	faultContext: FaultContext;
}

/**
 * Puts the sandbox's faults around the service: before it when a request has been read and nothing
 * has looked at it yet, not even at its key; behind it when its reply is about to go out.
 */
export function applyFaults(app: FastifyInstance, context: SandboxContext): void {
	const faulted = new WeakMap<FastifyRequest, Faulted>();

	app.addHook('preValidation', async (request, reply) => {
		if (!request.record) return;
		const { latencyMs } = context.settings;
		if (latencyMs > 0) await wait(latencyMs, request.record, context);
		const { operation, url } = request.record;
		const faults = context.faults.take({ operation, text: `${url}\n${request.rawBody}` });
		if (faults.length === 0) return;
		const faultContext = createFaultContext(request, request.record, context);
		for (const fault of faults) {
			const outcome = await fault.before?.(faultContext);
			if (outcome === undefined) continue;
			reply.hijack();
			await sendReply(reply.raw, outcome, request.record);
			return;
		}
		faulted.set(request, { faults, faultContext });
	});

	app.addHook('onSend', (request, reply, payload, done) => {
		const entry = faulted.get(request);
		const behind = entry?.faults.filter((fault) => fault.after !== undefined) ?? [];
		if (!request.record || !entry || behind.length === 0) {
			if (request.record) request.record.status = reply.statusCode;
			done(null, payload);
			return;
		}
		const { record } = request;
		// `done` stays uncalled: from here on the reply is written past fastify, which would put its
		// length and its end right again.
		alterReply(readReply(reply, payload), behind, entry.faultContext)
			.then((outcome) => sendReply(reply.raw, outcome, record))
			.catch(() => reply.raw.destroy());
	});
}

async function alterReply(reply: Reply, faults: Fault[], context: FaultContext): Promise<Outcome> {
	let altered = reply;
	for (const fault of faults) {
		const outcome = await fault.after?.(altered, context);
		if (outcome === undefined) continue;
		if (typeof outcome === 'string' || 'bytes' in outcome) return outcome;
		altered = outcome;
	}
	return altered;
}

function readReply(reply: FastifyReply, payload: unknown): Reply {
	const headers: Record<string, string> = {};
	for (const [name, value] of Object.entries(reply.getHeaders())) {
		if (value !== undefined) headers[name] = String(value);
	}
	const body =
		payload instanceof Readable || Buffer.isBuffer(payload)
			? payload
			: Buffer.from(typeof payload === 'string' ? payload : '');
	return { status: reply.statusCode, headers, body };
}

function createFaultContext(
	request: FastifyRequest,
	record: RecordedRequest,
	context: SandboxContext,
): FaultContext {
	return {
		now: () => context.clock.now(),
		wait: (delayMs) => wait(delayMs, record, context),
		queueId: readQueueId(request.params) ?? readQueueId(record.body),
		removeQueueItem: (queueId) => {
			const item = context.store.queue.get(queueId);
			if (item) item.left = true;
		},
	};
}

function readQueueId(holder: unknown): string | undefined {
	if (typeof holder !== 'object' || holder === null || !('queueId' in holder)) return undefined;
	const { queueId } = holder;
	return typeof queueId === 'string' || typeof queueId === 'number' ? String(queueId) : undefined;
}

async function wait(
	delayMs: number,
	record: RecordedRequest,
	context: SandboxContext,
): Promise<void> {
	if (context.wait) await context.wait(delayMs, record);
	// A pending delay must not keep a process alive whose sandbox is closed.
	else await waitInRealTime(delayMs, undefined, { ref: false });
}
