import type { QueueItem } from './QueueItem';
import type { QueueItemLife } from './QueueItemLife';

/** A generation that fails does so here: in the middle of processing, as the progress then says. */
const FAILS_AT_PERCENT = 60;

type Living = Pick<QueueItem, 'createdAt' | 'durations' | 'outcome' | 'forced'>;

/**
 * Where a queue item stands at `now`: pending, processing, rendering, then completed or failed.
 * The API names only `pending` ("States and transitions"); the other words are the sandbox's.
 * Nothing but the item and the time decides, so no timer runs and no call changes anything.
 */
export function readLife(item: Living, now: number): QueueItemLife {
	const { forced } = item;
	if (forced === null || now < forced.at) return readNaturalLife(item, now);
	if (forced.outcome === 'completed') return complete(forced.at);
	return { ...readNaturalLife(item, forced.at), status: 'failed', endedAt: forced.at };
}

function readNaturalLife(item: Living, now: number): QueueItemLife {
	const { pendingMs, processingMs, renderingMs } = item.durations;
	const processingAt = item.createdAt + pendingMs;
	const renderingAt = processingAt + processingMs;
	const completedAt = renderingAt + renderingMs;
	const failedAt = processingAt + Math.ceil((processingMs * FAILS_AT_PERCENT) / 100);

	if (item.outcome === 'failed' && now >= failedAt) {
		return {
			status: 'failed',
			generationProgress: FAILS_AT_PERCENT,
			renderProgress: 0,
			endedAt: failedAt,
		};
	}
	if (now >= completedAt) return complete(completedAt);
	if (now >= renderingAt) {
		const renderProgress = percent(now - renderingAt, renderingMs);
		return { status: 'rendering', generationProgress: 100, renderProgress, endedAt: null };
	}
	if (now >= processingAt) {
		const generationProgress = percent(now - processingAt, processingMs);
		return { status: 'processing', generationProgress, renderProgress: 0, endedAt: null };
	}
	return { status: 'pending', generationProgress: 0, renderProgress: 0, endedAt: null };
}

function complete(endedAt: number): QueueItemLife {
	return { status: 'completed', generationProgress: 100, renderProgress: 100, endedAt };
}

function percent(elapsedMs: number, totalMs: number): number {
	return Math.floor((elapsedMs * 100) / totalMs);
}
