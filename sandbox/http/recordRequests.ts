import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { RequestLog } from '../control/createRequestLog';
import type { RecordedRequest } from '../control/RecordedRequest';
import type { SandboxContext } from '../control/SandboxContext';

/** Writes down every request outside the control routes, and whether its client waited for the end. */
export function recordRequests(app: FastifyInstance, { clock, requests }: SandboxContext): void {
	app.addHook('onRequest', (request, reply, done) => {
		// Whoever compares a date of the service with "now" gets both from the same clock.
		reply.raw.setHeader('date', new Date(clock.now()).toUTCString());
		if (!request.url.startsWith('/_sandbox/')) {
			const record: RecordedRequest = {
				method: request.method,
				url: request.raw.url ?? '',
				headers: { ...request.headers },
				body: undefined,
				operation: request.routeOptions.config.operation,
				at: clock.now(),
				realAt: Date.now(),
			};
			request.record = record;
			requests.add(record);
			watchConnection(record, reply.raw, requests);
		}
		done();
	});
	app.addHook('preValidation', (request, _reply, done) => {
		if (request.record) {
			request.record.body = readBody(request.rawBody);
			requests.announce(request.record, 'received');
		}
		done();
	});
}

function watchConnection(record: RecordedRequest, response: ServerResponse, log: RequestLog): void {
	response.once('close', () => {
		if (response.writableFinished || record.broken === true) return;
		record.closed = true;
		log.announce(record, 'left');
	});
}

function readBody(text: string): unknown {
	if (text === '') return undefined;
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return text;
	}
}
