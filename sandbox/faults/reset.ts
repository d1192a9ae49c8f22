import { actInPhase, type FaultKind, PHASE, type PhaseOption } from './Fault';

/** Resets the connection. */
export const reset: FaultKind<PhaseOption> = {
	options: { phase: PHASE },
	create: ({ phase }) => actInPhase(phase, () => 'reset'),
};
