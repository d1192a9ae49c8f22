import { getItemState } from '../domain/lifeCycle';
import { type Project, type QueueItem, ServiceError, type VideoLog } from '../domain/model';
import { addQueueItem, clearQueueItem, formatLogTime, settleQueue } from '../domain/queue';
import { SEED_ACCOUNTS } from '../domain/SEED_ACCOUNTS';
import { changeSettings, type Durations, type SettingsChange } from '../domain/settings';
import type { FaultSpec } from '../faults/FaultSpec';
import { toKey } from '../domain/store';
import type { SandboxContext } from './context';

type AccountName = keyof typeof SEED_ACCOUNTS;

export type Controls = ReturnType<typeof createControls>;

function find<Value>(values: Map<string, Value>, id: string): Value {
	const value = values.get(id);
	if (!value) throw new ServiceError(404, `There is no ${id}`);
	return value;
}

/** Finds what belongs to an account; of whichever account has it, if none is given. */
function findOwned<Value extends { accountId: string }>(
	values: Map<string, Value>,
	id: string,
	accountId?: string,
): Value {
	const owners = accountId === undefined ? Object.keys(SEED_ACCOUNTS) : [accountId];
	const key = owners.map((owner) => toKey(owner, id)).find((each) => values.has(each));
	return find(values, key ?? id);
}

/**
 * Creates the controls that tests and control routes have besides the API. Unknown accounts,
 * projects and queue items throw a ServiceError 404.
 */
export function createControls(context: SandboxContext) {
	return {
		...createQueueControls(context),
		...createAccountControls(context),
		configure(change: SettingsChange): void {
			context.store.settings = changeSettings(context.store.settings, change);
		},
		/** Returns a copy of what the sandbox knows at this moment, for all accounts. */
		readState() {
			const { store } = context;
			const now = context.clock.now();
			settleQueue(store, now);
			return structuredClone({
				settings: store.settings,
				accounts: [...store.accounts.values()],
				videos: [...store.videos].flatMap(([accountId, logs]) =>
					logs.map((log) => ({ accountId, ...log })),
				),
				projects: [...store.projects.values()],
				queue: [...store.queue.values()].map((item) => ({ ...item, ...getItemState(item, now) })),
			});
		},
		/** @returns an id for `removeFault`. @throws TypeError for an unknown kind */
		addFault: (spec: FaultSpec) => context.faults.add(spec),
		removeFault: (id: number) => {
			context.faults.active = context.faults.active.filter((fault) => fault.id !== id);
		},
		clearFaults: () => {
			context.faults.active = [];
		},
		clearRequests: () => {
			context.requests.list = [];
		},
		/** Restores the initial store, clock and settings, and removes all requests and faults. */
		reset: context.reset,
	};
}

function createQueueControls(context: SandboxContext) {
	const get = (queueId: string, accountId?: AccountName): QueueItem =>
		findOwned(context.store.queue, queueId, accountId);
	return {
		/**
		 * Queues a video as another client of the project's account would, without a request.
		 *
		 * @returns its queue id
		 */
		queueVideo(projectId: string): string {
			const { store, clock } = context;
			const account = find(store.accounts, findOwned(store.projects, projectId).accountId);
			return addQueueItem(store, account, { projectId }, clock.now()).queueId;
		},
		/** Completes an item now, unless it has ended already. */
		finish(queueId: string): void {
			const item = get(queueId);
			const now = context.clock.now();
			if (getItemState(item, now).endedAt === null) item.finishedAt = now;
			settleQueue(context.store, now);
		},
		/**
		 * Removes an item from the queue, as a service may do by itself: the API responds with 404 from
		 * then on, but the generation continues, and its video appears in the log.
		 */
		removeQueueItem(queueId: string): void {
			get(queueId).left = true;
			settleQueue(context.store, context.clock.now());
		},
		/** Removes an item as another client would. */
		clear(queueId: string, accountId: AccountName = 'main'): void {
			const { clock, store } = context;
			settleQueue(store, clock.now());
			const item = store.queue.get(toKey(accountId, queueId));
			if (item) clearQueueItem(store, item, clock.now());
		},
		/** Gives an item durations of its own, counted from its start, and another outcome. */
		changeQueueItem(
			queueId: string,
			{ durations, outcome }: { durations: Partial<Durations>; outcome?: QueueItem['outcome'] },
			accountId?: AccountName,
		): void {
			const item = get(queueId, accountId);
			Object.assign(item.durations, durations);
			item.outcome = outcome ?? item.outcome;
		},
	};
}

function createAccountControls(context: SandboxContext) {
	return {
		setCredits(account: AccountName, credits: number): void {
			find(context.store.accounts, account).credits = credits;
		},
		changeProject(projectId: string, change: Partial<Project>): void {
			Object.assign(findOwned(context.store.projects, projectId), change);
		},
		/** Adds projects to an account. Missing fields get a default. */
		addProjects(accountId: AccountName, projects: Partial<Project>[]): Project[] {
			const added = projects.map((given) => ({ ...createProject(context), ...given, accountId }));
			for (const project of added)
				context.store.projects.set(toKey(accountId, project.id), project);
			return structuredClone(added);
		},
		/** Adds entries to an account's video log, unchecked. Missing fields get a default. */
		addVideos(accountId: AccountName, videos: Partial<VideoLog>[]): VideoLog[] {
			const { store } = context;
			const now = context.clock.now();
			settleQueue(store, now);
			const projects = [...store.projects.values()];
			const added = videos.map((given) => ({
				id: store.createId(store.settings.numberByAccount ? accountId : undefined),
				url: null,
				projectId: projects.find((project) => project.accountId === accountId)?.id ?? '',
				createdAt: formatLogTime(store, now),
				...given,
			}));
			store.videos.set(accountId, find(store.videos, accountId).concat(added));
			return structuredClone(added);
		},
	};
}

function createProject({ store, clock }: SandboxContext): Omit<Project, 'accountId'> {
	const id = store.createId();
	return {
		id,
		name: `Project ${id.slice(0, 8)}`,
		createdAt: clock.now(),
		updatedAt: clock.now(),
		cost: 1,
		fails: false,
		durations: {},
		picture: 'product-teaser',
	};
}
