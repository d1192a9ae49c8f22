import type { Account, Charge, Project, QueueItem, VideoLog } from './model';
import { SEED_ACCOUNTS } from './SEED_ACCOUNTS';
import { SEED_PROJECTS } from './SEED_PROJECTS';
import { changeSettings, DEFAULT_SETTINGS, type Settings, type SettingsChange } from './settings';

/** The whole state of the service, as plain data. */
export interface Store {
	accounts: Map<string, Account>;
	projects: Map<string, Project>;
	queue: Map<string, QueueItem>;
	/** Video logs by account id, in the order of logging. */
	videos: Map<string, VideoLog[]>;
	/** Charges in the order of the adds. */
	charges: Charge[];
	settings: Settings;
	/** The last list of videos of each account, and when it was made. */
	listCache: Map<string, { at: number; body: object }>;
	/** The last time to which the queue was brought up. */
	settledAt: number;
	/** Returns the next unused id for a queue item, a video or a project. */
	createId: () => string;
}

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
		projects: new Map(projects.map((project) => [project.id, project])),
		queue: new Map(),
		videos: new Map([['other', createForeignVideos(createId)]]),
		charges: [],
		settings: changeSettings(DEFAULT_SETTINGS, change),
		listCache: new Map(),
		settledAt: -Infinity,
		createId,
	};
	const main = store.accounts.get('main');
	if (main && credits !== undefined) main.credits = credits;
	if (main && apiKey !== undefined) main.apiKey = apiKey;
	return store;
}

/** Creates videos of another account, which the main account must never see. */
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

/** Creates UUIDs from an integer seed, always the same ones in the same order (mulberry32). */
export function createIdSource(seed: number): () => string {
	let state = seed >>> 0;
	const nextByte = () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return (mixed ^ (mixed >>> 14)) >>> 24;
	};
	return () => {
		const bytes = Buffer.from(Array.from({ length: 16 }, nextByte));
		bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
		bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
		return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
	};
}
