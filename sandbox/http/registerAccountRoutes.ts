import type { FastifyInstance } from 'fastify';
import type { SandboxContext } from '../control/SandboxContext';

/** GET /user/account */
export function registerAccountRoutes(app: FastifyInstance, { clock }: SandboxContext): void {
	app.get(
		'/user/account',
		{ config: { operation: 'account.get', rateLimit: {} } },
		({ account, record }) => {
			const now = clock.now();
			return {
				status: 'success',
				statusCode: 200,
				name: account.name,
				email: account.email,
				usage: { remainingCredits: account.credits },
				requestCompletionTime: `${now - (record?.at ?? now)}ms`,
				timestamp: new Date(now).toISOString(),
			};
		},
	);
}
