/** One accepted add. Nothing takes it back: not a clear, and not an item that leaves the queue. */
export interface Charge {
	queueId: string;
	accountId: string;
	projectId: string;
	customPrompt: string | null;
	overwriteSettings: boolean;
	/** Credits that were taken. */
	cost: number;
	/** By the sandbox's clock, in milliseconds since 1970. */
	at: number;
	/** Of the video that the item becomes, when its generation completes. */
	videoId: string;
}
