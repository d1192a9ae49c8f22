import type { RequestKind } from './RequestKind';

/** What a user is told of a failure. */
export interface FailureText {
	/** What happened. */
	message: string;
	/** What to do next. */
	description: string;
}

/** What an operation adds to its errors. */
export interface FailureContext {
	requestKind: RequestKind;
	/** The fields to look at when the request is rejected, as displayed. */
	fields?: string;
	/** What to do about a rate limit, where it is not a run of the workflow that asks. */
	rateLimitAdvice?: string;
	/** Whether it is a video's host that was asked, and not the video service. */
	isOfVideoHost?: boolean;
	/** What a 404 means for this operation. */
	notFound?: FailureText;
	/** The account's credits, where they were asked for. */
	remainingCredits?: number;
}
