import type { FaultKind } from './FaultKind';

/** No reply ever comes; with `phase: 'after'` the request was processed all the same. */
export const hang: FaultKind<{ phase?: 'before' | 'after' }> = {
	options: { phase: { enum: ['before', 'after'] } },
	create: ({ phase }) =>
		phase === 'after'
			? { after: () => Promise.resolve('hang') }
			: { before: () => Promise.resolve('hang') },
};
