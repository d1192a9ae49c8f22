import type { Account } from '../domain/Account';
import type { Project } from '../domain/Project';
import { ServiceError } from '../domain/ServiceError';
import { formatLogTime, settleQueue } from '../domain/settleQueue';
import type { VideoLog } from '../domain/VideoLog';
import type { SandboxContext } from './SandboxContext';

/** One of the sandbox's accounts, its name (`main`, `other`, `empty`), or its API key. */
type AccountRef = string | { readonly id: string };

/** What can be done to accounts past the API. Unknown ones throw a ServiceError `notFound`. */
export function createAccountControls(context: SandboxContext) {
	const find = (ref: AccountRef): Account => {
		const name = typeof ref === 'string' ? ref : ref.id;
		const { accounts } = context.store;
		const account = accounts.get(name) ?? [...accounts.values()].find((a) => a.apiKey === name);
		if (!account) throw new ServiceError('notFound', 'There is no such account in the sandbox');
		return account;
	};
	/** The account's video log as it is now. */
	const readVideos = (accountId: string): VideoLog[] => {
		settleQueue(context.store, context.clock.now());
		return context.store.videos.get(accountId) ?? [];
	};
	return {
		setCredits(account: AccountRef, credits: number): void {
			find(account).credits = credits;
		},
		/** Adds projects to an account; what is left out is made up. */
		addProjects(account: AccountRef, projects: Partial<Project>[]): Project[] {
			const accountId = find(account).id;
			const added = projects.map((given) => ({
				...createProject(context),
				...given,
				accountId,
			}));
			for (const project of added) context.store.projects.set(project.id, project);
			return added.map((project) => ({ ...project }));
		},
		/** Adds entries to an account's video log, as they are; what is left out is made up. */
		addVideos(account: AccountRef, videos: Partial<VideoLog>[]): VideoLog[] {
			const { id: accountId } = find(account);
			const logged = readVideos(accountId);
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
		/** Removes entries of an account's video log: those with these ids, or all of them. */
		removeVideos(account: AccountRef, ids?: string[]): void {
			const { id: accountId } = find(account);
			const removed = new Set(ids);
			const kept = readVideos(accountId).filter(({ id }) => ids && !removed.has(id));
			context.store.videos.set(accountId, kept);
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
