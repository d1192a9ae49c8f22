import { createHash } from 'node:crypto';
import type { Account, Charge, Project, QueueItem, VideoLog } from './model';
import { SEED_ACCOUNTS } from './SEED_ACCOUNTS';
import { SEED_PROJECTS } from './SEED_PROJECTS';
import { changeSettings, DEFAULT_SETTINGS, type Settings, type SettingsChange } from './settings';

/** The whole state of the service, as plain data. */
export interface Store {
	accounts: Map<string, Account>;
	/** By `toKey`, as the queue is: two accounts may have the same ids. */
	projects: Map<string, Project>;
	queue: Map<string, QueueItem>;
	/** The queue ids that an account uses no more, and since when. */
	freeQueueIds: { accountId: string; queueId: string; since: number }[];
	/** Video logs by account id, in the order of logging. */
	videos: Map<string, VideoLog[]>;
	/** Charges in the order of the adds. */
	charges: Charge[];
	settings: Settings;
	/** The last list of videos of each account, and when it was made. */
	listCache: Map<string, { at: number; body: { videos: object[] } }>;
	/** Requests in the current window, by endpoint and account. */
	rateCounts: Map<string, { startedAt: number; count: number }>;
	/** The last time to which the queue was brought up. */
	settledAt: number;
	/** Returns the next unused id for a queue item, a video or a project; of an account that numbers its own, the next of these. */
	createId: (accountId?: string) => string;
}

export const toKey = (accountId: string, id: string) => `${accountId} ${id}`;

export interface StoreOptions extends SettingsChange {
	/** Determines all ids that are not fixed. */
	seed?: number;
	/** Credits of the main account. */
	credits?: number;
	/** API key of the main account. */
	apiKey?: string;
}

/** Creates the service at its start: seeded accounts, projects and videos, and an empty queue. */
export function createStore({ seed = 1, credits, apiKey, ...change }: StoreOptions = {}): Store {
	const createId = createIdSource(seed);
	const accounts: Account[] = Object.values(SEED_ACCOUNTS).map((account) => ({ ...account }));
	const projects: Project[] = Object.values(SEED_PROJECTS).map((project) => ({ ...project }));
	const store: Store = {
		accounts: new Map(accounts.map((account) => [account.id, account])),
		projects: new Map(projects.map((project) => [toKey(project.accountId, project.id), project])),
		queue: new Map(),
		freeQueueIds: [],
		videos: new Map([
			['main', []],
			['other', createForeignVideos(createId)],
			['empty', []],
		]),
		charges: [],
		settings: changeSettings(DEFAULT_SETTINGS, change),
		listCache: new Map(),
		rateCounts: new Map(),
		settledAt: -Infinity,
		createId,
	};
	const main = store.accounts.get('main');
	if (main && credits !== undefined) main.credits = credits;
	if (main && apiKey !== undefined) main.apiKey = apiKey;
	return store;
}

/** Videos of another account, which the main account must never see. */
const createForeignVideos = (createId: () => string): VideoLog[] =>
	['2025-04-01T09:00:00.000Z', '2025-10-10T10:15:00.000Z'].map((createdAt) => ({
		id: createId(),
		url: null,
		projectId: SEED_PROJECTS.foreign.id,
		createdAt,
	}));

/** Creates UUIDs from a seed, always the same ones in the same order. */
function createIdSource(seed: number): Store['createId'] {
	const counts = new Map<string | undefined, number>();
	return (accountId) => {
		const count = (counts.get(accountId) ?? 0) + 1;
		counts.set(accountId, count);
		const kind = accountId === undefined ? '' : ' of an account';
		const digits = createHash('sha256').update(`${seed} ${count}${kind}`).digest('hex');
		return digits.replace(/^(.{8})(.{4})(.{3})(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
	};
}
