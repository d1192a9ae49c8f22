import { getItemState } from '../domain/lifeCycle';
import { settleQueue } from '../domain/queue';
import type { SandboxContext } from './context';

/**
 * Returns a copy of everything that the sandbox knows at this moment, for all accounts. The charges are
 * all accepted adds in order, regardless of the later state of their items.
 */
export function getState({ store, clock, faults }: SandboxContext) {
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
