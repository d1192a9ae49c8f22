import {
	type Account,
	type Project,
	type QueueItem,
	ServiceError,
	type VideoLog,
} from '../domain/model';
import {
	addQueueItem,
	clearQueueItem,
	finishQueueItem,
	formatLogTime,
	settleQueue,
} from '../domain/queue';
import type { SEED_ACCOUNTS } from '../domain/SEED_ACCOUNTS';
import { changeSettings, type Durations, type SettingsChange } from '../domain/settings';
import type { FaultSpec } from '../faults/FaultSpec';
import type { SandboxContext } from './context';
import { getState } from './state';

type AccountName = keyof typeof SEED_ACCOUNTS;

type ProjectChange = Partial<Pick<Project, 'name' | 'cost' | 'fails' | 'durations'>>;

export type Controls = ReturnType<typeof createControls>;

/**
 * Creates the controls that tests and control routes have besides the API. Unknown accounts,
 * projects and queue items throw a ServiceError `notFound`.
 */
export function createControls(context: SandboxContext) {
	return {
		...createQueueControls(context),
		...createAccountControls(context),
		changeProject(projectId: string, change: ProjectChange): void {
			const project = context.store.projects.get(projectId);
			if (!project) throw new ServiceError('notFound', `There is no project ${projectId}`);
			Object.assign(project, change);
		},
		configure(change: SettingsChange): void {
			context.store.settings = changeSettings(context.store.settings, change);
		},
		/** Returns a copy of everything the sandbox knows. */
		readState: () => getState(context),
		/** @returns an id for `removeFault`. @throws TypeError for an unknown kind */
		addFault: (spec: FaultSpec) => context.faults.add(spec),
		removeFault: (id: number) => {
			context.faults.remove(id);
		},
		clearFaults: () => {
			context.faults.clear();
		},
		clearRequests: () => {
			context.requests.clear();
		},
		/** Restores the initial store, clock and settings, and removes all requests and faults. */
		reset: context.reset,
	};
}

function createQueueControls(context: SandboxContext) {
	const get = (queueId: string): QueueItem => {
		const item = context.store.queue.get(queueId);
		if (!item) throw new ServiceError('notFound', `There is no queue item ${queueId}`);
		return item;
	};
	return {
		/**
		 * Queues a video as another client of the project's account would, without a request.
		 *
		 * @returns its queue id
		 */
		queueVideo(projectId: string): string {
			const { store, clock } = context;
			const accountId = store.projects.get(projectId)?.accountId ?? '';
			const account = store.accounts.get(accountId);
			if (!account) throw new ServiceError('notFound', `There is no project ${projectId}`);
			const { queueId } = addQueueItem(store, account, { projectId }, clock.now());
			return queueId;
		},
		/** Completes an item now. @throws ServiceError `conflict` if it has failed */
		finish(queueId: string): void {
			finishQueueItem(context.store, get(queueId), context.clock.now());
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
		clear(queueId: string): void {
			const item = get(queueId);
			clearQueueItem(context.store, { id: item.accountId }, queueId, context.clock.now());
		},
		/** Gives an item durations of its own, counted from its start, and another outcome. */
		changeQueueItem(
			queueId: string,
			{ durations, outcome }: { durations: Partial<Durations>; outcome?: QueueItem['outcome'] },
		): void {
			const item = get(queueId);
			Object.assign(item.durations, durations);
			item.outcome = outcome ?? item.outcome;
		},
	};
}

function createAccountControls(context: SandboxContext) {
	const get = (name: AccountName): Account => {
		const account = context.store.accounts.get(name);
		if (!account) throw new ServiceError('notFound', 'There is no such account in the sandbox');
		return account;
	};
	const getVideos = (accountId: string): VideoLog[] => {
		settleQueue(context.store, context.clock.now());
		return context.store.videos.get(accountId) ?? [];
	};
	return {
		setCredits(account: AccountName, credits: number): void {
			get(account).credits = credits;
		},
		/** Adds projects to an account. Missing fields get a default. */
		addProjects(account: AccountName, projects: Partial<Project>[]): Project[] {
			const accountId = get(account).id;
			const added = projects.map((given) => ({ ...createProject(context), ...given, accountId }));
			for (const project of added) context.store.projects.set(project.id, project);
			return added.map((project) => ({ ...project }));
		},
		/** Adds entries to an account's video log, unchecked. Missing fields get a default. */
		addVideos(account: AccountName, videos: Partial<VideoLog>[]): VideoLog[] {
			const { id: accountId } = get(account);
			const logged = getVideos(accountId);
			const projects = [...context.store.projects.values()];
			const projectId = projects.find((project) => project.accountId === accountId)?.id ?? '';
			const createdAt = formatLogTime(context.store, context.clock.now());
			const added = videos.map((given) => ({
				...{ id: context.store.createId(), url: null, projectId, createdAt },
				...given,
			}));
			context.store.videos.set(accountId, logged.concat(added));
			return added.map((video) => ({ ...video }));
		},
	};
}

function createProject({ store, clock }: SandboxContext): Omit<Project, 'accountId'> {
	const id = store.createId();
	const now = clock.now();
	return {
		...{ id, name: `Project ${id.slice(0, 8)}`, createdAt: now, updatedAt: now },
		...{ cost: 1, fails: false, durations: {}, picture: 'product-teaser' },
	};
}
