import type { QueueItem } from './QueueItem';
import { readLife } from './readLife';
import type { Store } from './Store';

const PICTURE_OF_UNKNOWN_PROJECTS = 'product-teaser';

/**
 * The picture of a finished video, of any account, be its log entry written or still to come;
 * undefined when no video has this id.
 */
export function findVideoPicture(store: Store, videoId: string, now: number): string | undefined {
	const logs = [...store.videos.values()];
	const isCompleted = (item: QueueItem) => readLife(item, now).status === 'completed';
	const made =
		logs.flatMap((entries) => entries.find(({ id }) => id === videoId) ?? [])[0] ??
		[...store.queue.values()].find((item) => item.videoId === videoId && isCompleted(item));
	if (!made) return undefined;
	return store.projects.get(made.projectId)?.picture ?? PICTURE_OF_UNKNOWN_PROJECTS;
}
