import type { Store } from './Store';

const PICTURE_OF_UNKNOWN_PROJECTS = 'product-teaser';

/** The picture of a logged video, of any account; undefined when no video has this id. */
export function findVideoPicture(store: Store, videoId: string): string | undefined {
	for (const logs of store.videos.values()) {
		const log = logs.find(({ id }) => id === videoId);
		if (log) return store.projects.get(log.projectId)?.picture ?? PICTURE_OF_UNKNOWN_PROJECTS;
	}
	return undefined;
}
