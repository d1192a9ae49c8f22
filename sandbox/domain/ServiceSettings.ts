import type { Durations } from './Durations';

/** How the service behaves where its specification leaves that open. */
export interface ServiceSettings {
	/** Of items that are queued from now on; a project's own durations come first. */
	durations: Durations;
	/** Null: finished and failed items stay in the queue until they are cleared. */
	endedItemsLeaveAfterMs: number | null;
	/** Ids of new queue items are digits, and numbers in the JSON of replies. */
	numericQueueIds: boolean;
	/** Added to the `createdAt` of new log entries: the log's clock is not the queue's. */
	logClockSkewMs: number;
	/** The `createdAt` of new log entries has no milliseconds. */
	logWholeSeconds: boolean;
	/** The progress of a completed item also has its `videoUrl`. */
	videoUrlInDetails: boolean;
	/** Words that the API uses in place of `completed` and `failed`. */
	statusWords: { completed?: string; failed?: string };
}

/** Eight seconds a video: long enough to see it grow, short enough to wait for. */
export const DEFAULT_SERVICE_SETTINGS: Readonly<ServiceSettings> = {
	durations: { pendingMs: 1000, processingMs: 4000, renderingMs: 3000, logDelayMs: 0 },
	endedItemsLeaveAfterMs: null,
	numericQueueIds: false,
	logClockSkewMs: 0,
	logWholeSeconds: false,
	videoUrlInDetails: false,
	statusWords: {},
};
