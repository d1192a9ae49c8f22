import { getItemState, type QueueItemState } from '../domain/lifeCycle';
import type { Account, Charge, Project, QueueItem, VideoLog } from '../domain/model';
import { settleQueue } from '../domain/queue';
import type { Settings } from '../domain/settings';
import type { FaultList } from '../faults/faultList';
import type { SandboxContext } from './context';

/** Everything the sandbox knows at one moment, for all accounts. */
export interface SandboxState {
	settings: Settings;
	accounts: Account[];
	/** The entries of all accounts. */
	videos: VideoLog[];
	projects: Project[];
	queue: (QueueItem & QueueItemState)[];
	/** All accepted adds in order, regardless of the later state of their items. */
	charges: Charge[];
	faults: ReturnType<FaultList['list']>;
}

/** Returns a copy: changes to it do not affect the sandbox. */
export function getState({ store, clock, faults }: SandboxContext): SandboxState {
	const now = clock.now();
	settleQueue(store, now);
	return {
		settings: structuredClone(store.settings),
		accounts: [...store.accounts.values()].map((account) => ({ ...account })),
		videos: [...store.videos.values()].flat().map((video) => ({ ...video })),
		projects: [...store.projects.values()].map((project) => ({ ...project })),
		queue: [...store.queue.values()].map((item) => ({ ...item, ...getItemState(item, now) })),
		charges: store.charges.map((charge) => ({ ...charge })),
		faults: faults.list(),
	};
}
