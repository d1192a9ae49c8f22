import { isRefusal, isRefusingStatus } from './fate';

/** `add` costs a credit, `clear` cannot be undone, `read` changes nothing. */
export type RequestKind = 'read' | 'clear' | 'add';

/**
 * The kinds of failures that the request policy distinguishes:
 * - `rateLimited`: 429, refused before anything was done
 * - `unreached`: no connection was made, so the service never saw the request
 * - `uncertain`: a server error, a broken connection or a timeout; the request may have been carried out
 * - `redirected`: 3xx, which is not followed because the key would go along
 * - `rejected`: any other 4xx
 * - `unreadable`: a response that is not the JSON object of the specification
 * - `unsuccessful`: a 200 whose `status` is not `success`
 * - `incomplete`: a 200 without the field that the specification promises
 * - `blocked`: n8n's own rules forbid the address (its protection of private networks, SSRF)
 * - `unsent`: the request could not be sent, for example because the key is missing
 * - `cancelled`: the execution was stopped
 * - `notGenerated`: the service reports that a generation failed
 * - `timedOut`: a video was not finished within the wait's timeout
 * - `unstored`: n8n could not store a file
 * - `undecided`: the video to download cannot be told from others
 * - `overBudget`: the credits that are to be kept do not allow it
 * - `unguarded`: the credits could not be read
 * - `keyUsed`: a video was queued for the item's unique key already, or may have been
 * - `keysFull`: the node keeps as many unique keys as it can
 * - `keysUnavailable`: n8n's record of the unique keys could not be read or written
 */
export type FailureKind =
	| 'rateLimited'
	| 'unreached'
	| 'uncertain'
	| 'redirected'
	| 'rejected'
	| 'unreadable'
	| 'unsuccessful'
	| 'incomplete'
	| 'blocked'
	| 'unsent'
	| 'cancelled'
	| 'notGenerated'
	| 'timedOut'
	| 'unstored'
	| 'undecided'
	| 'overBudget'
	| 'unguarded'
	| 'keyUsed'
	| 'keysFull'
	| 'keysUnavailable';

export interface FailureFacts {
	/** The HTTP status, or the network's own code such as `ECONNREFUSED`. */
	httpCode?: string;
	/** The service's own words. */
	serviceMessage?: string;
	/** The delay that the service asks for. */
	retryAfterMs?: number;
	/** The target of a redirect. */
	location?: string;
	/** The beginning of a response that leaves the fate of an add open. */
	receivedText?: string;
	/** The content of an unreadable response, or the field that an incomplete one lacks. */
	found?: string;
	/** The limit that a response exceeds, with its unit. */
	limit?: string;
	/** The address that was asked for a video, without its query, which may hold a key. */
	address?: string;
	receivedBytes?: number;
	announcedBytes?: number;
	/** Whether the request went through the proxy of "Request Options". */
	isProxied?: boolean;
	/** The number of times the request was sent. */
	tries?: number;
	/** Whether an earlier try may have been carried out. */
	mayBeDone?: boolean;
	/** The queue item's last known status. */
	lastStatus?: string;
	/** The time that a wait for a video took. */
	waitedSeconds?: number;
	/** Whether the list of videos could not be read when it had to show the video. */
	isLogUnread?: boolean;
	/** Whether the queue item was no longer in the queue. */
	hasLeftQueue?: boolean;
	/** The field that holds the address of a video to download, as displayed. */
	addressField?: string;
	/** "Unique Key" of the item. */
	uniqueKey?: string;
	/** The account's credits, where they are known. */
	remainingCredits?: number;
	/** The number of videos of a run, their cost, and the credits to keep. */
	budget?: { videos: number; credits: number; keep: number };
}

/** A failed request, before it is put into words. Holds no header, and so no key. */
export class RequestFailure extends Error {
	constructor(
		readonly kind: FailureKind,
		readonly facts: FailureFacts = {},
	) {
		super(kind);
		this.name = 'RequestFailure';
	}

	with(facts: FailureFacts): RequestFailure {
		return new RequestFailure(this.kind, { ...this.facts, ...facts });
	}
}

/**
 * Whether a clear may have been carried out although no proper response came. The fate of an add, for
 * which more than a text depends on it, is decided by `judgeAdd`.
 */
export function mayBeCarriedOut({ kind, facts }: RequestFailure): boolean {
	switch (kind) {
		case 'uncertain':
		case 'unreadable':
		case 'incomplete':
			return true;
		case 'cancelled':
			return facts.tries !== 0;
		case 'unsuccessful':
			return !isRefusal(facts.found);
		case 'rejected':
		case 'redirected':
			return !isRefusingStatus(Number(facts.httpCode));
		default:
			return false;
	}
}

/** Whether the service does not know what was asked for. */
export function isNotFound(failure: unknown): boolean {
	return (
		failure instanceof RequestFailure &&
		failure.kind === 'rejected' &&
		failure.facts.httpCode === '404'
	);
}

/** Whether a failure is about credits: the specification leaves open how the service says so ("Errors", point 1). */
export function isAboutCredits({ kind, facts }: RequestFailure): boolean {
	if (facts.httpCode === '402') return true;
	return (
		['rejected', 'unsuccessful'].includes(kind) && /\bcredits?\b/i.test(facts.serviceMessage ?? '')
	);
}

/** The failure of a response that is larger than allowed. */
export function createExcess(limit: string): RequestFailure {
	return new RequestFailure('unreadable', { httpCode: '200', found: 'tooLarge', limit });
}
