import type { Durations } from './Durations';

export interface QueueItem {
	queueId: string;
	accountId: string;
	projectId: string;
	createdAt: number;
	durations: Durations;
	/** How its life ends, when nothing else is forced on it. */
	outcome: 'completed' | 'failed';
	/** An end that came from the control routes, whatever the durations say. */
	forced: { outcome: 'completed' | 'failed'; at: number } | null;
	/** Given at the start, so that ids do not depend on the order in which videos finish. */
	videoId: string;
	/** True once its entry is in the video log. */
	logged: boolean;
	/** True once it is out of the queue. The API knows it no more, but its generation goes on. */
	left: boolean;
	overwriteSettings: boolean;
	customPrompt: string | null;
}
