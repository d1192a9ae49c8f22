import type { Account } from './Account';
import { createIdSource } from './createIdSource';
import type { Project } from './Project';
import { SEED_ACCOUNTS } from './SEED_ACCOUNTS';
import { SEED_PROJECTS } from './SEED_PROJECTS';
import { DEFAULT_SERVICE_SETTINGS, type ServiceSettings } from './ServiceSettings';
import type { Store } from './Store';
import type { VideoLog } from './VideoLog';

interface StoreOptions {
	/** Decides every id that is not fixed. */
	seed: number;
	/** Credits of the main account. */
	credits?: number | undefined;
	/** Of the main account. */
	apiKey?: string | undefined;
	settings?: ServiceSettings;
}

/** A service at its start, the seeded accounts, projects and videos, and an empty queue. */
export function createStore(options: StoreOptions): Store {
	const createId = createIdSource(options.seed);
	const accounts: Account[] = Object.values(SEED_ACCOUNTS).map((account) => ({ ...account }));
	const projects: Project[] = Object.values(SEED_PROJECTS).map((project) => ({ ...project }));
	const store: Store = {
		accounts: new Map(accounts.map((account) => [account.id, account])),
		projects: new Map(projects.map((project) => [project.id, project])),
		queue: new Map(),
		videos: new Map([['other', createForeignVideos(createId)]]),
		charges: [],
		settings: options.settings ?? structuredClone(DEFAULT_SERVICE_SETTINGS),
		createId,
	};
	const main = store.accounts.get('main');
	if (main && options.credits !== undefined) main.credits = options.credits;
	if (main && options.apiKey !== undefined) main.apiKey = options.apiKey;
	return store;
}

/** Videos of another account: there to be missing from everyone else's list. */
function createForeignVideos(createId: () => string): VideoLog[] {
	const dates = [
		'2025-04-01T09:00:00.000Z',
		'2025-07-15T13:30:00.000Z',
		'2025-10-10T10:15:00.000Z',
	];
	return dates.map((createdAt) => ({
		id: createId(),
		url: null,
		projectId: SEED_PROJECTS.foreign.id,
		createdAt,
	}));
}
