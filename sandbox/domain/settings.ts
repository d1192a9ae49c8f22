/** Duration of each stage of a queue item, in milliseconds. */
export interface Durations {
	pendingMs: number;
	processingMs: number;
	renderingMs: number;
	/** Time from the end of the item to its entry in the video log; negative for an entry before it. */
	logDelayMs: number;
	/** Time from the end of the item until its progress tells the address, if it does. */
	urlDelayMs: number;
}

export const ETAGS = ['strong', 'none', 'weak'] as const;

/** The settings that can be changed while the sandbox runs. */
export interface Settings {
	/** Added to every reply, in real time. */
	latencyMs: number;
	/** The maximum number of requests in each window, per account and limited endpoint. */
	rateLimit: { max: number; windowMs: number } | false;
	/** Entity tags of the lists. */
	etags: (typeof ETAGS)[number];
	/** Durations of items queued from now on. A project's own durations take precedence. */
	durations: Durations;
	/** How many items of an account are made at the same time, in their order. Null for any number. */
	maxAtOnce: number | null;
	/** Null keeps finished and failed items in the queue until they are cleared. */
	endedItemsLeaveAfterMs: number | null;
	/** Whether only failed items leave the queue then. */
	finishedItemsStay: boolean;
	/**
	 * New queue ids consist of digits, and replies send them as JSON numbers. `long` ids have 19
	 * digits: a client that parses them as JavaScript numbers changes them.
	 */
	numericQueueIds: boolean | 'long';
	/**
	 * An add is given the queue id of an item of its account that was cleared, has failed, or whose video
	 * was listed, so long ago in milliseconds. Null gives each item an id of its own.
	 */
	reuseQueueIds: number | null;
	/**
	 * An add is answered with an item that is still being made, if there is one: of an equal order, or of
	 * the same project.
	 */
	mergeOrders: false | 'equal' | 'project';
	/** Whether an add that is merged costs credits. */
	chargeMergedOrders: boolean;
	/** Accounts number alike: queue items and videos of two accounts have the same ids, at other addresses. */
	numberByAccount: boolean;
	/** Writes `createdAt` of new log entries without milliseconds. */
	logWholeSeconds: boolean;
	/** How much the clock of the log's `createdAt` is ahead of that of the queue; negative if it is behind. */
	logAheadMs: number;
	/** Adds `videoUrl` to the progress of a completed item: of all, of every other one, or of so many first ones. */
	videoUrlInDetails: boolean | 'everyOther' | number;
	/** Sends the same list of videos again for so long. */
	listCacheMs: number;
	/**
	 * Each video shows its own prompt, for people who compare them; drawing it takes a second. All
	 * videos of a project are the same file otherwise.
	 */
	promptInVideos: boolean;
	/** Addresses of videos have a signature that differs from one reply to the next. */
	signedUrls: boolean;
	/** Entries of the video log name their queue item, in `queueId` or as a part of their address. */
	entriesNameQueueId: false | 'field' | 'address';
}

/** Missing settings, and missing durations, stay as they are. */
export type SettingsChange = Partial<Omit<Settings, 'durations'>> & {
	durations?: Partial<Durations>;
};

export const DEFAULT_SETTINGS: Readonly<Settings> = {
	latencyMs: 0,
	rateLimit: { max: 100, windowMs: 60_000 },
	etags: 'strong',
	// Eight seconds per video: long enough to see progress, short enough to wait for.
	durations: {
		pendingMs: 1000,
		processingMs: 4000,
		renderingMs: 3000,
		logDelayMs: 0,
		urlDelayMs: 0,
	},
	maxAtOnce: null,
	endedItemsLeaveAfterMs: null,
	finishedItemsStay: false,
	numericQueueIds: false,
	reuseQueueIds: null,
	mergeOrders: false,
	chargeMergedOrders: true,
	numberByAccount: false,
	logWholeSeconds: false,
	logAheadMs: 0,
	videoUrlInDetails: false,
	listCacheMs: 0,
	promptInVideos: false,
	signedUrls: false,
	entriesNameQueueId: false,
};

export function changeSettings(settings: Settings, change: SettingsChange): Settings {
	const durations = { ...settings.durations, ...change.durations };
	return { ...settings, ...change, durations };
}
