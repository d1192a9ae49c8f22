import type { IDataObject } from 'n8n-workflow';
import type { Sandbox } from '../../../sandbox/Sandbox';
import type { Durations } from '../../../sandbox/domain/settings';

/** The seconds that a video takes, or its durations. */
export type VideoPlan = number | Partial<Durations>;

const playing = new Set<() => void>();

afterEach(() => {
	for (const stop of playing) stop();
	playing.clear();
});

/**
 * Sets how long each video takes, in the order in which they are queued, for the rest of the
 * test.
 */
export function planVideos(sandbox: Sandbox, ...videos: VideoPlan[]): void {
	let count = sandbox.charges.length;
	const first = count;
	const stop = sandbox.onRequest(() => {
		for (const { queueId } of sandbox.charges.slice(count)) {
			const planned = videos[count - first];
			const durations = typeof planned === 'number' ? { processingMs: planned * 1000 } : planned;
			sandbox.changeQueueItem(queueId, {
				durations: { pendingMs: 0, renderingMs: 0, ...durations },
			});
			count += 1;
		}
	});
	playing.add(stop);
}

/** Returns the ID of the video that was made for a queue item. */
export function getOwnVideoId(sandbox: Sandbox, { queueId }: IDataObject): string | undefined {
	return sandbox.charges.find((charge) => charge.queueId === queueId)?.videoId;
}
