import type { FaultKind } from './FaultKind';

/** The reply takes `delayMs` longer; `phase: 'after'` delays it when the request is processed. */
export const latency: FaultKind<{ delayMs: number; phase?: 'before' | 'after' }> = {
	options: {
		delayMs: { type: 'number', minimum: 0 },
		phase: { enum: ['before', 'after'] },
	},
	required: ['delayMs'],
	create: ({ delayMs, phase }) =>
		phase === 'after'
			? {
					after: async (reply, context) => {
						await context.wait(delayMs);
						return reply;
					},
				}
			: {
					before: async (context) => {
						await context.wait(delayMs);
						return undefined;
					},
				},
};
