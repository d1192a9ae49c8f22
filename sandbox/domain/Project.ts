import type { Durations } from './Durations';

/** A saved project, with what its (unknown) settings come down to: cost, time, outcome, picture. */
export interface Project {
	id: string;
	accountId: string;
	name: string;
	createdAt: number;
	updatedAt: number;
	/** Credits that one video costs. */
	cost: number;
	/** True: every generation of this project fails. */
	fails: boolean;
	durations: Partial<Durations>;
	/** The MP4 that its videos show: a name in `sandbox/files/`, without extension. */
	picture: string;
}
