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
	const { startsAt, durations, outcome, finishedAt } = item;
	const { pendingMs, processingMs, renderingMs } = durations;
	const processingAt = startsAt + pendingMs;
	const renderingAt = processingAt + processingMs;
	const endsAt = getEnd(item);
	if (now >= endsAt) {
		const hasFailed = outcome === 'failed' && endsAt !== finishedAt;
		return {
			status: hasFailed ? 'failed' : 'completed',
			generationProgress: hasFailed ? FAILS_AT_PERCENT : 100,
			renderProgress: hasFailed ? 0 : 100,
			endedAt: endsAt,
		};
	}
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

/** Returns when an item ends, as far as that is known at the moment. */
export function getEnd({ startsAt, durations, outcome, finishedAt }: Living): number {
	const { pendingMs, processingMs, renderingMs } = durations;
	const madeMs =
		outcome === 'failed'
			? Math.ceil((processingMs * FAILS_AT_PERCENT) / 100)
			: processingMs + renderingMs;
	return Math.min(startsAt + pendingMs + madeMs, finishedAt ?? Infinity);
}

function percent(elapsedMs: number, totalMs: number): number {
	return Math.floor((elapsedMs * 100) / totalMs);
}
