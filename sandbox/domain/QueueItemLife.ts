/** Where a queue item stands at one moment. */
export interface QueueItemLife {
	status: 'pending' | 'processing' | 'rendering' | 'completed' | 'failed';
	/** Percent, an integer from 0 to 100. */
	generationProgress: number;
	/** Percent, an integer from 0 to 100. */
	renderProgress: number;
	/** When it was completed or failed; null while it runs. */
	endedAt: number | null;
}
