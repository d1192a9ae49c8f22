import fastify, { type FastifyInstance } from 'fastify';
import type { Controls } from '../control/createControls';
import type { Account } from '../domain/Account';
import type { Operation } from '../domain/Operation';
import type { RecordedRequest } from '../control/RecordedRequest';
import type { SandboxContext } from '../control/SandboxContext';
import { answerConditionally } from './answerConditionally';
import { applyFaults } from './applyFaults';
import { authenticate } from './authenticate';
import { describeSchemaError } from './describeSchemaError';
import { limitRate } from './limitRate';
import { parseJsonBody } from './parseJsonBody';
import { recordRequests } from './recordRequests';
import { registerAccountRoutes } from './registerAccountRoutes';
import { registerControlRoutes } from './registerControlRoutes';
import { registerFileRoutes } from './registerFileRoutes';
import { registerProjectRoutes } from './registerProjectRoutes';
import { registerQueueRoutes } from './registerQueueRoutes';
import { registerVideoRoutes } from './registerVideoRoutes';
import { replyWithError } from './replyWithError';

declare module 'fastify' {
	interface FastifyContextConfig {
		operation?: Operation;
		/** Answers conditional requests. */
		etag?: true;
	}
	interface FastifyRequest {
		/** The owner of the key; set on every route of the API. */
		account: Account;
		/** Null on control routes, which are not recorded and which no fault concerns. */
		record: RecordedRequest | null;
		/** The body as it came. */
		rawBody: string;
	}
}

const KIBIBYTE = 1024;

/**
 * The service over HTTP: the API under `/v1`, the videos under `/files`, the control routes under
 * `/_sandbox`. It does not listen yet.
 */
export async function createHttpServer(
	context: SandboxContext,
	controls: Controls,
): Promise<FastifyInstance> {
	const app = fastify({
		// The specification sets no bounds ("Limits", 3), so those of Node and fastify are moved away.
		bodyLimit: 64 * KIBIBYTE * KIBIBYTE,
		http: { maxHeaderSize: 256 * KIBIBYTE },
		routerOptions: { maxParamLength: 256 * KIBIBYTE },
		ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
		forceCloseConnections: true,
		exposeHeadRoutes: false,
		frameworkErrors: (error, _request, reply) => {
			void replyWithError(error, reply);
		},
	});
	app.addHook('onRoute', ({ method, url, config }) => {
		for (const name of [method].flat()) {
			context.routes.push({ method: name, path: url, operation: config?.operation });
		}
	});
	app.decorateRequest('account');
	app.decorateRequest('record', null);
	app.decorateRequest('rawBody', '');
	// Bodies arrive as text: a wrong key is then refused before a wrong body, and both are recorded.
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
		request.rawBody = body.toString();
		done(null, undefined);
	});
	app.setSchemaErrorFormatter((errors) => new Error(describeSchemaError(errors[0])));
	app.setErrorHandler((error, _request, reply) => replyWithError(error, reply));
	app.setNotFoundHandler(({ method, url }, reply) =>
		reply.code(404).send({ status: 'error', message: `There is no ${method} ${url}` }),
	);
	recordRequests(app, context);
	answerConditionally(app, context);
	applyFaults(app, context);
	await app.register((v1) => registerApi(v1, context), { prefix: '/v1' });
	registerFileRoutes(app, context);
	await app.register(
		(control, _options, done) => {
			control.addHook('preValidation', parseJsonBody);
			registerControlRoutes(control, context, controls);
			done();
		},
		{ prefix: '/_sandbox' },
	);
	return app;
}

async function registerApi(v1: FastifyInstance, context: SandboxContext): Promise<void> {
	v1.addHook('preValidation', (request) => authenticate(request, context));
	v1.addHook('preValidation', parseJsonBody);
	await limitRate(v1, context);
	registerQueueRoutes(v1, context);
	registerVideoRoutes(v1, context);
	registerProjectRoutes(v1, context);
	registerAccountRoutes(v1, context);
}
