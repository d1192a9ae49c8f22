import type { FaultKind } from './FaultKind';

/** The connection is reset; with `phase: 'after'` the request was processed, and its reply is lost. */
export const reset: FaultKind<{ phase?: 'before' | 'after' }> = {
	options: { phase: { enum: ['before', 'after'] } },
	create: ({ phase }) =>
		phase === 'after'
			? { after: () => Promise.resolve('reset') }
			: { before: () => Promise.resolve('reset') },
};
