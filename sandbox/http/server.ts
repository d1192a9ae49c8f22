import fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from 'fastify';
import type { SandboxContext } from '../control/context';
import type { Controls } from '../control/controls';
import type { RecordedRequest } from '../control/requestLog';
import { type Account, type Operation, ServiceError } from '../domain/model';
import type { Fault } from '../faults/Fault';
import { applyFaults } from './applyFaults';
import { answerConditionally } from './conditionalRequests';
import { registerControlRoutes } from './controlRoutes';
import { registerFileRoutes } from './fileRoutes';
import { registerListRoutes } from './listRoutes';
import { registerQueueRoutes } from './queueRoutes';
import { limitRate } from './rateLimit';
import { recordRequests } from './recordRequests';

declare module 'fastify' {
	interface FastifyInstance {
		/** The method and the path of each route. */
		routes: string[];
	}
	interface FastifyContextConfig {
		operation?: Operation;
		/** Supports conditional requests. */
		etag?: true;
	}
	interface FastifyRequest {
		/** Owner of the key; set on all routes of the API. */
		account: Account;
		/** Null on control routes, which are not recorded and not affected by faults. */
		record: RecordedRequest | null;
		/** The body as it was sent. */
		rawBody: string;
		/** Faults that affect this request; undefined until it has been read. */
		faults: readonly Fault[] | undefined;
	}
}

const KIBIBYTE = 1024;

/**
 * Creates the HTTP server, not yet listening: the API under `/v1`, videos under `/files`, controls
 * under `/_sandbox`.
 */
export async function createServer(
	context: SandboxContext,
	controls: Controls,
): Promise<FastifyInstance> {
	const app = fastify({
		// The specification sets no bounds ("Limits", 3), so the limits of Node and fastify are raised.
		bodyLimit: 64 * KIBIBYTE * KIBIBYTE,
		http: { maxHeaderSize: 256 * KIBIBYTE },
		routerOptions: { maxParamLength: 256 * KIBIBYTE },
		ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
		forceCloseConnections: true,
		// A service may be below a path. Another path is another service to its clients.
		rewriteUrl: ({ url = '' }) => url.replace(/^\/(?!v1\/)[^?]*?(?=\/v1\/)/, ''),
		exposeHeadRoutes: false,
	});
	app.decorate('routes', []);
	app.addHook('onRoute', ({ method, url }) => {
		app.routes.push(`${String(method)} ${url}`);
	});
	app.decorateRequest('account');
	app.decorateRequest('record', null);
	app.decorateRequest('rawBody', '');
	app.decorateRequest('faults');
	// Bodies are kept as text: a wrong key is refused before a wrong body, and both are recorded.
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
		request.rawBody = body.toString();
		done(null, undefined);
	});
	// The only error body in the specification ("Errors", 2). An error in the request's form is a 400.
	app.setErrorHandler<FastifyError>((error, _request, reply) => {
		const { statusCode = 500, message } = error;
		const isOurs = error instanceof ServiceError || statusCode >= 500;
		return reply.code(isOurs ? statusCode : 400).send({ status: 'error', message });
	});
	app.setNotFoundHandler(({ method, url }) => {
		throw new ServiceError(404, `There is no ${method} ${url}`);
	});
	recordRequests(app, context);
	answerConditionally(app, context);
	applyFaults(app, context);
	await app.register((v1) => registerApi(v1, context), { prefix: '/v1' });
	registerFileRoutes(app, context);
	registerControlRoutes(app, controls);
	return app;
}

async function registerApi(v1: FastifyInstance, context: SandboxContext): Promise<void> {
	v1.addHook('preValidation', (request) => authenticate(request, context));
	v1.addHook('preValidation', parseJsonBody);
	await limitRate(v1, context);
	registerQueueRoutes(v1, context);
	registerListRoutes(v1, context);
}

/**
 * Sets the account of `Authorization: Bearer <API_KEY>` ("Authentication").
 *
 * @throws 401 for a missing or unknown key; the specification shows no status for it
 */
async function authenticate(request: FastifyRequest, { store }: SandboxContext): Promise<void> {
	const key = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
	const account = [...store.accounts.values()].find(
		({ apiKey, otherApiKey }) => key !== undefined && [apiKey, otherApiKey].includes(key),
	);
	if (!account) {
		throw new ServiceError(401, key === undefined ? 'Missing API key' : 'Invalid API key');
	}
	request.account = account;
	return Promise.resolve();
}

/**
 * Parses the body, which the API requires to be declared as JSON ("What the service does", 5).
 *
 * @throws ServiceError 400
 */
async function parseJsonBody(request: FastifyRequest): Promise<void> {
	if (request.rawBody === '') return;
	if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
		throw new ServiceError(400, 'The body must be sent as application/json');
	}
	try {
		request.body = JSON.parse(request.rawBody);
	} catch {
		throw new ServiceError(400, 'The body is not valid JSON');
	}
	return Promise.resolve();
}
