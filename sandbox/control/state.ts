import type { Clock } from '../domain/clock';
import { getItemState, type QueueItemState } from '../domain/lifeCycle';
import type { Account, Charge, Project, QueueItem, VideoLog } from '../domain/model';
import { settleQueue } from '../domain/queue';
import type { Settings } from '../domain/settings';
import type { FaultList } from '../faults/faultList';
import type { SandboxContext } from './context';

/** Everything the sandbox knows at one moment, for all accounts. */
export interface SandboxState {
	clock: { kind: Clock['kind']; now: string };
	settings: Settings;
	accounts: (Account & { videoCount: number })[];
	/** The entries of all accounts. */
	videos: VideoLog[];
	projects: Project[];
	queue: (QueueItem & QueueItemState)[];
	/** All accepted adds in order, regardless of the later state of their items. */
	charges: Charge[];
	faults: ReturnType<FaultList['list']>;
	requestCount: number;
}

/** Returns a copy: changes to it do not affect the sandbox. */
export function getState({ store, clock, faults, requests }: SandboxContext): SandboxState {
	const now = clock.now();
	settleQueue(store, now);
	return {
		clock: { kind: clock.kind, now: new Date(now).toISOString() },
		settings: structuredClone(store.settings),
		accounts: [...store.accounts.values()].map((account) => ({
			...account,
			videoCount: store.videos.get(account.id)?.length ?? 0,
		})),
		videos: [...store.videos.values()].flat().map((video) => ({ ...video })),
		projects: [...store.projects.values()].map((project) => ({ ...project })),
		queue: [...store.queue.values()].map((item) => ({ ...item, ...getItemState(item, now) })),
		charges: store.charges.map((charge) => ({ ...charge })),
		faults: faults.list(),
		requestCount: requests.list().length,
	};
}
