import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { createRateLimitStore } from './createRateLimitStore';
import type { SandboxContext } from '../control/SandboxContext';

/**
 * Prepares the limits of the endpoints that carry `config: { rateLimit: {} }` ("Limits", 1), per
 * account and endpoint. Values and headers are not shown there: these are the sandbox's own.
 */
export async function limitRate(app: FastifyInstance, context: SandboxContext): Promise<void> {
	const read = () => context.settings.rateLimit || { max: 0, windowMs: 0 };
	await app.register(rateLimit, {
		global: false,
		// After authentication: requests are counted per account, not per address.
		hook: 'preValidation',
		store: createRateLimitStore(context),
		keyGenerator: (request) => `${request.routeOptions.url ?? ''} ${request.account.id}`,
		allowList: () => context.settings.rateLimit === false,
		max: () => read().max,
		timeWindow: () => read().windowMs,
		errorResponseBuilder: (_request, { after }) =>
			Object.assign(new Error(`Too many requests, try again in ${after}`), { statusCode: 429 }),
	});
}
