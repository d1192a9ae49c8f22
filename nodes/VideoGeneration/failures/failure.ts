/** A longer `Retry-After` fails the request at once: a running workflow does not wait that long. */
export const MAX_RETRY_AFTER_MS = 120_000;

/** `add` costs a credit, `clear` cannot be undone, `read` changes nothing. */
export type RequestKind = 'read' | 'clear' | 'add';

/**
 * The fate of an add, of which a second one would be paid for again:
 * - `notSent`: there is proof that it never left
 * - `refused`: the service answered with proof that nothing was queued
 * - `accepted`: the response holds the new queue ID
 * - `unknown`: everything else, since the absence of evidence proves nothing
 */
export type Fate = 'notSent' | 'refused' | 'accepted' | 'unknown';

/**
 * The kinds of failures that the request policy and the texts distinguish:
 * - `rateLimited`: 429, refused before anything was done
 * - `unreached`: no connection was made, so the service never saw the request
 * - `uncertain`: a server error, a broken connection or a timeout: it may have been carried out
 * - `redirected`: 3xx, which is not followed because the key would go along
 * - `rejected`: any other 4xx
 * - `unreadable`: not the JSON object of the specification, or not a video
 * - `unsuccessful`: a 200 whose `status` is not `success`
 * - `incomplete`: a 200 without the field that the specification promises
 * - `blocked`: n8n's protection of private networks (SSRF) forbids the address
 * - `unsent`: not sent for a reason of n8n, or because the certificate was not accepted
 * - `badCredential`: not sent because the credential cannot be used
 * - `cancelled`: the execution was stopped
 *
 * The others are named after what the node itself found; their texts say it.
 */
export type FailureKind =
	| ('rateLimited' | 'unreached' | 'uncertain' | 'redirected' | 'rejected' | 'unreadable')
	| ('unsuccessful' | 'incomplete' | 'blocked' | 'unsent' | 'badCredential' | 'cancelled')
	| ('notGenerated' | 'timedOut' | 'ambiguousVideo' | 'overBudget' | 'creditsUnknown')
	| ('keyUsed' | 'keysUnavailable' | 'notAnAddress' | 'storageFailed');

/** The facts of a failure. The texts show each one that is known. */
export interface FailureFacts {
	kind: FailureKind;
	/** The fate of a failed add. */
	fate?: Fate;
	/** The HTTP status, or the network's own code such as `ECONNREFUSED`. */
	httpCode?: string | undefined;
	/** The service's own words without the key, or those of n8n where no response came. */
	serviceMessage?: string | undefined;
	/** The delay that the service asks for. */
	retryAfterMs?: number | undefined;
	/** The target of a redirect. */
	location?: string | undefined;
	/** The `status` of an unsuccessful body. */
	bodyStatus?: string | undefined;
	/** The content that arrived instead of JSON or a video. */
	content?: 'html' | 'empty' | 'cutOff' | 'tooLarge' | 'other';
	contentType?: string;
	/** The limit that a response exceeds, with its unit. */
	limit?: string;
	/** The promised field that a response lacks. */
	field?: string;
	/** The beginning of a response that leaves the fate of an add open. */
	receivedText?: string | undefined;
	/** The queue ID in it; or the text, on one line, where it names one that cannot be kept as it was received. */
	receivedQueueId?: string | undefined;
	namingText?: string | undefined;
	/** Whether the request went through the proxy of "Request Options". */
	isProxied?: boolean;
	/** The number of times the request was sent. */
	tries?: number;
	/** Whether an earlier try may have been carried out. */
	mayBeDone?: boolean;
	/** The queue item's last known status. */
	lastStatus?: string;
	/** Of a credential that cannot be used. */
	isBaseUrl?: boolean;
	problem?: string;
	whatToDo?: string;
	/** Of a download: the field that holds the address, as displayed, and the address without its query. */
	addressField?: string;
	address?: string;
	receivedBytes?: number;
	announcedBytes?: number;
	isTooSlow?: boolean;
	isTooMany?: boolean;
	/** Of a wait. */
	waitedSeconds?: number;
	/** How long a status was shown that may mean that the video is finished. */
	statusSeconds?: number | undefined;
	hasLeftQueue?: boolean;
	unidentified?: Unidentified | undefined;
	/** Of "Credits to Keep": the account's credits, the cost of the video, and why they could not be read. */
	remainingCredits?: number;
	cost?: number;
	keep?: number;
	cause?: RequestFailure;
	uniqueKey?: string;
}

/** Why a finished video could not be identified: the entries of the list that may be it. */
export interface Unidentified {
	/** The number of entries; undefined if the list could not be read. */
	count?: number;
	projectId?: string | undefined;
	/** The other items of the run whose adds were not confirmed: their videos may be among the entries. */
	unconfirmedItems?: number[];
	/** The dates of the oldest and the newest entry, as the service writes them. */
	from?: string | undefined;
	to?: string | undefined;
}

/** A failed request, before it is put into words. Holds no header, and so no key. */
export class RequestFailure extends Error {
	readonly kind: FailureKind;

	constructor(readonly facts: FailureFacts) {
		super(facts.kind);
		this.name = 'RequestFailure';
		this.kind = facts.kind;
	}

	with(facts: Partial<FailureFacts>): RequestFailure {
		return new RequestFailure({ ...this.facts, ...facts });
	}
}

/** The execution was stopped, or a failed item has ended the run. */
export const CANCELLED = new RequestFailure({ kind: 'cancelled' });

/** No response, or no more of it, came in time. */
export const TIMED_OUT = new RequestFailure({ kind: 'uncertain', httpCode: 'ETIMEDOUT' });

/** Whether the service or the network has a problem that may pass. */
export function isTransient({ kind }: RequestFailure): boolean {
	return kind === 'rateLimited' || kind === 'unreached' || kind === 'uncertain';
}

/** Whether the service does not know what was asked for. */
export function isNotFound({ kind, facts }: RequestFailure): boolean {
	return kind === 'rejected' && facts.httpCode === '404';
}

const NOT_SPENT =
	/\b(charged|deducted|refunded)\b|\bno credits? (was|were|has been|have been) (used|spent|consumed)\b/i;

/** Whether a failure is about credits: the specification leaves open how the service says so ("Errors", point 1). */
export function isAboutCredits({ kind, facts }: RequestFailure): boolean {
	const isRefusal = kind === 'rejected' || kind === 'unsuccessful';
	const words = facts.serviceMessage ?? '';
	// A refusal for another reason may add that no credit was charged.
	const namesCredits = /\bcredits?\b/i.test(words) && !NOT_SPENT.test(words);
	return facts.httpCode === '402' || (isRefusal && namesCredits);
}

/** The failure of a response that is larger than allowed. */
export function createExcess(limit: string): RequestFailure {
	return new RequestFailure({ kind: 'unreadable', httpCode: '200', content: 'tooLarge', limit });
}
