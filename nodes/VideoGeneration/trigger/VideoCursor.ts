/**
 * What the trigger remembers between two polls. It is JSON, and n8n copies it into the record of
 * every execution, so it is kept small: 18 characters for each video, 180 KB at the most.
 *
 * What holds at any time: a log that was ever listed is in `videos`, or its time is at `floor` or
 * below it. So nothing is taken for new twice, and nothing above the floor is overlooked.
 */
export interface VideoCursor {
	version: 1;
	/** Tells one account from another, see createAccountMark. */
	account: string;
	/** The projects that were watched: the hash of each ID; empty for all. */
	projects: string;
	/** Milliseconds since 1970: nothing of this time or before it is new any more; 0 as long as all is remembered. */
	floor: number;
	/** Whether videos without a readable date had to be forgotten: none of them is new any more. */
	isUndatedForgotten: boolean;
	/** For each video that is remembered its key (11 characters) and its time (7). */
	videos: string;
}

/** As many of the newest videos are always remembered. */
export const KEPT_VIDEOS = 5_000;

/** With more than this, all but the newest are forgotten, so that this happens now and then only. */
export const MOST_VIDEOS = 10_000;

/** As many of these videos without a readable date are kept when some must go. */
export const KEPT_UNDATED_VIDEOS = 2_500;
