import type { FastifyInstance } from 'fastify';
import type { SandboxContext } from '../control/context';
import type { RecordedRequest } from '../control/requestLog';

/** Records all requests except control requests, and whether the client disconnected early. */
export function recordRequests(app: FastifyInstance, { clock, requests }: SandboxContext): void {
	app.addHook('onRequest', (request, reply, done) => {
		// Clients compare dates of the service with this header, so both come from the same clock.
		reply.raw.setHeader('date', new Date(clock.now()).toUTCString());
		if (!request.url.startsWith('/_sandbox/')) {
			const record: RecordedRequest = {
				method: request.method,
				url: request.raw.url ?? '',
				headers: { ...request.headers },
				body: undefined,
				operation: request.routeOptions.config.operation,
				at: clock.now(),
			};
			request.record = record;
			requests.add(record);
			reply.raw.once('close', () => {
				record.endedAt = clock.now();
				record.closed = !reply.raw.writableFinished && record.broken !== true;
			});
		}
		done();
	});
	app.addHook('preValidation', (request, _reply, done) => {
		if (request.record) {
			request.record.body = parseBody(request.rawBody);
			requests.announce(request.record);
		}
		done();
	});
}

function parseBody(text: string): unknown {
	if (text === '') return undefined;
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return text;
	}
}
