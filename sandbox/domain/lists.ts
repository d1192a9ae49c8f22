import { getItemState } from './lifeCycle';
import type { Account, Project, VideoContent, VideoLog } from './model';
import { settleQueue } from './queue';
import type { Store } from './store';

/** Lists the account's video logs in the order of logging; the API promises no order. */
export function listVideos(store: Store, { id }: Account, now: number): readonly VideoLog[] {
	settleQueue(store, now);
	return store.videos.get(id) ?? [];
}

/** Lists the account's projects, sorted as GET /v1/projects says; equal dates are sorted by id. */
export function listProjects(
	store: Store,
	account: Account,
	sort: 'updatedAt' | 'createdAt',
	order: 'asc' | 'desc',
): Project[] {
	const sign = order === 'asc' ? 1 : -1;
	return [...store.projects.values()]
		.filter((project) => project.accountId === account.id)
		.sort((a, b) => sign * (a[sort] - b[sort]) || (a.id < b.id ? -1 : 1));
}

/** Finds what a finished video of any account shows, even before its log entry is written. */
export function findVideoContent(
	store: Store,
	videoId: string,
	now: number,
): VideoContent | undefined {
	settleQueue(store, now);
	const made =
		[...store.videos.values()].flatMap((logs) => logs.find(({ id }) => id === videoId) ?? [])[0] ??
		[...store.queue.values()].find(
			(item) => item.videoId === videoId && getItemState(item, now).status === 'completed',
		);
	if (!made) return undefined;
	const project = store.projects.get(made.projectId);
	const charge = store.charges.find((paid) => paid.videoId === videoId);
	return {
		name: project?.name ?? made.projectId,
		picture: project?.picture ?? 'product-teaser',
		prompt: charge?.customPrompt?.trim() ?? '',
	};
}
