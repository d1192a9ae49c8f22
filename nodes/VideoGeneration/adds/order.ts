import type { WaitSettings } from '../waiting/waitForVideo';

/** The order of Video > Generate and Queue > Add. */
export interface VideoOrder {
	/** The body of the request; empty for a video that is paid for. */
	body: { projectId?: string; overwriteSettings?: boolean; customPrompt?: string };
	/** How the video is waited for; undefined if it is not. */
	wait?: WaitSettings | undefined;
	/** "Credits to Keep" and "Credits per Video"; undefined when the guard is off. */
	spending?: { keep: number; cost: number } | undefined;
	/** "Unique Key"; undefined where it is not set. */
	uniqueKey?: string | undefined;
}
