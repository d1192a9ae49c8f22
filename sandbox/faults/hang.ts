import { actInPhase, type FaultKind, PHASE, type PhaseOption } from './Fault';

/** Never replies. */
export const hang: FaultKind<PhaseOption> = {
	options: { phase: PHASE },
	create: ({ phase }) => actInPhase(phase, () => 'hang'),
};
