import { actInPhase, type FaultKind, PHASE, type PhaseOption } from './Fault';

/** Delays the processing of the request, or with `phase: 'after'` its reply. */
export const latency: FaultKind<PhaseOption & { delayMs: number }> = {
	options: { delayMs: { type: 'number', minimum: 0 }, phase: PHASE },
	required: ['delayMs'],
	create: ({ delayMs, phase }) =>
		actInPhase(phase, async ({ wait }) => {
			await wait(delayMs);
			return undefined;
		}),
};
