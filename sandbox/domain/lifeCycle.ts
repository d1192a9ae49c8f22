import type { QueueItem } from './model';

/** The state of a queue item at one moment. */
export interface QueueItemState {
	status: 'pending' | 'processing' | 'rendering' | 'completed' | 'failed';
	/** Percent, an integer from 0 to 100. */
	generationProgress: number;
	/** Percent, an integer from 0 to 100. */
	renderProgress: number;
	/** Time of completion or failure; null while it runs. */
	endedAt: number | null;
}

/** A failing generation fails during processing, at this progress. */
const FAILS_AT_PERCENT = 60;

type Living = Pick<QueueItem, 'startsAt' | 'durations' | 'outcome' | 'finishedAt'>;

/**
 * Returns the state of a queue item at `now`: pending, processing, rendering, then completed or
 * failed. The API names only `pending` ("States and transitions"); the other words are the
 * sandbox's own. The state depends only on the item and the time, so no timer runs.
 */
export function getItemState(item: Living, now: number): QueueItemState {
	const { finishedAt } = item;
	const isFinished = finishedAt !== null && now >= finishedAt;
	return isFinished ? complete(finishedAt) : getTimedState(item, now);
}

/** Returns when an item ends, as far as that is known at the moment. */
export function getEnd({ startsAt, durations, outcome, finishedAt }: Living): number {
	const { pendingMs, processingMs, renderingMs } = durations;
	const madeMs =
		outcome === 'failed'
			? Math.ceil((processingMs * FAILS_AT_PERCENT) / 100)
			: processingMs + renderingMs;
	return Math.min(startsAt + pendingMs + madeMs, finishedAt ?? Infinity);
}

function getTimedState(item: Living, now: number): QueueItemState {
	const { pendingMs, processingMs, renderingMs } = item.durations;
	const processingAt = item.startsAt + pendingMs;
	const renderingAt = processingAt + processingMs;
	const completedAt = renderingAt + renderingMs;
	const failedAt = getEnd({ ...item, finishedAt: null });

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

function complete(endedAt: number): QueueItemState {
	return { status: 'completed', generationProgress: 100, renderProgress: 100, endedAt };
}

function percent(elapsedMs: number, totalMs: number): number {
	return Math.floor((elapsedMs * 100) / totalMs);
}
