import rateLimit, {
	type FastifyRateLimitStore,
	type FastifyRateLimitStoreCtor,
} from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import type { SandboxContext } from '../control/context';
import { ServiceError } from '../domain/model';

/**
 * Limits the endpoints with `config: { rateLimit: {} }` ("Limits", 1), per account and endpoint.
 * The specification shows neither values nor headers; these are the sandbox's own.
 */
export async function limitRate(app: FastifyInstance, context: SandboxContext): Promise<void> {
	const getLimit = () => context.store.settings.rateLimit || { max: 0, windowMs: 0 };
	await app.register(rateLimit, {
		global: false,
		// Runs after authentication, because requests are counted per account and not per address.
		hook: 'preValidation',
		store: createClockedStore(context),
		keyGenerator: (request) => `${request.routeOptions.url ?? ''} ${request.account.id}`,
		allowList: () => context.store.settings.rateLimit === false,
		max: () => getLimit().max,
		timeWindow: () => getLimit().windowMs,
		errorResponseBuilder: (_request, { after }) =>
			new ServiceError(429, `Too many requests, try again in ${after}`),
	});
}

type Callback = Parameters<FastifyRateLimitStore['incr']>[1];

/** Creates a store on the sandbox's clock; the plugin's own store uses the machine's clock. */
function createClockedStore(context: SandboxContext): FastifyRateLimitStoreCtor {
	return class ClockedStore implements FastifyRateLimitStore {
		/** A window begins with its first request. */
		incr(key: string, callback: Callback, windowMs: number): void {
			const now = context.clock.now();
			const { rateCounts } = context.store;
			const open = rateCounts.get(key);
			const window = open && now < open.startedAt + windowMs ? open : { startedAt: now, count: 0 };
			window.count += 1;
			rateCounts.set(key, window);
			callback(null, { current: window.count, ttl: window.startedAt + windowMs - now });
		}

		/** All endpoints share the counts, because keys include the endpoint. */
		child(): FastifyRateLimitStore {
			return this;
		}
	};
}
