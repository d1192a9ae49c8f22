import { readLife } from '../domain/readLife';
import { settleQueue } from '../domain/settleQueue';
import type { SandboxContext } from './SandboxContext';
import type { SandboxState } from './SandboxState';

/** A copy of the state as it is now; changing it changes nothing. */
export function readState({ store, clock, ...context }: SandboxContext): SandboxState {
	const now = clock.now();
	settleQueue(store, now);
	return {
		clock: { kind: clock.kind, now: new Date(now).toISOString() },
		settings: { ...context.settings },
		accounts: [...store.accounts.values()].map((account) => ({
			...account,
			videoCount: store.videos.get(account.id)?.length ?? 0,
		})),
		projects: [...store.projects.values()].map((project) => ({ ...project })),
		queue: [...store.queue.values()].map((item) => ({ ...item, ...readLife(item, now) })),
		charges: store.charges.map((charge) => ({ ...charge })),
		faults: context.faults.list(),
		requestCount: context.requests.list().length,
	};
}
