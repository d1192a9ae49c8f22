import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit';
import type { SandboxContext } from '../control/SandboxContext';

type Answer = Parameters<FastifyRateLimitStore['incr']>[1];

/**
 * A store for @fastify/rate-limit whose windows follow the sandbox's clock; the plugin's own one
 * looks at the machine's. A window begins with the first request in it.
 */
export function createRateLimitStore(context: SandboxContext): FastifyRateLimitStoreCtor {
	return class ClockedStore implements FastifyRateLimitStore {
		incr(key: string, answer: Answer, windowMs: number): void {
			const now = context.clock.now();
			const open = context.rateCounts.get(key);
			const window = open && now < open.startedAt + windowMs ? open : { startedAt: now, count: 0 };
			window.count += 1;
			context.rateCounts.set(key, window);
			answer(null, { current: window.count, ttl: window.startedAt + windowMs - now });
		}

		/** Keys name the endpoint already, so all endpoints can share the counts. */
		child(): FastifyRateLimitStore {
			return this;
		}
	};
}
