/** How long each stage of a queue item's life takes, in milliseconds. */
export interface Durations {
	pendingMs: number;
	processingMs: number;
	renderingMs: number;
	/** From the item's end to its entry in the video log. */
	logDelayMs: number;
}
