/** A longer `Retry-After` fails the request at once: a running workflow does not wait that long. */
export const MAX_RETRY_AFTER_MS = 120_000;

/** The fate of an add. Without proof of another one, it is unknown: a second add may be paid for again. */
export type Fate = 'notSent' | 'refused' | 'unknown';

/**
 * The kinds of failures that the request policy and the texts distinguish. Their texts say what happened. Of a request:
 * - `rateLimited` is a 429, `redirected` a 3xx, `rejected` any other 4xx
 * - `unreached`: no connection was made, so the service never saw the request
 * - `uncertain`: a server error, a broken connection or a timeout: it may have been carried out
 * - `unreadable`: not the JSON object of the specification, or not a video
 * - `unsuccessful`, `incomplete`: a 200 whose `status` is not `success`, or without a promised field
 * - `blocked`, `badCredential`, `unsent`: not sent because of n8n's protection of private networks (SSRF), because of the
 *   credential, or for another reason of n8n or of the certificate
 */
export type FailureKind = SharedKind | keyof OwnFacts;

/** The kinds whose failures have no facts of their own. */
export type SharedKind =
	| ('rateLimited' | 'unreached' | 'uncertain' | 'redirected' | 'rejected' | 'unreadable')
	| ('unsuccessful' | 'blocked' | 'unsent' | 'cancelled' | 'notAnAddress' | 'storageFailed')
	| ('notGenerated' | 'leftQueue');

/** The facts that each kind has besides those that all may have. */
export interface OwnFacts {
	badCredential: { problem: string; whatToDo: string };
	/** The promised field that a response lacks. */
	incomplete: { field: string };
	/** `isPending`: whether the last status is the only one that the specification names, of an item that is being made. */
	timedOut: { statusSeconds: number | undefined; waitedSeconds: number; isPending: boolean };
	ambiguousVideo: { unidentified: Unidentified };
	/** Of "Credits to Keep": the account's credits, and the cost of the video. */
	overBudget: { remainingCredits: number; cost: number; creditsToKeep: number };
	/** Why they could not be read. */
	creditsUnknown: { cause: RequestFailure };
	/** Of the workflow's own timeout: what is left of it, and how long a video of the project usually takes. */
	outOfTime: { leftSeconds: number; usualSeconds: number };
	tooManyVideos: { maxVideos: number };
	keyUsed: { uniqueKey: string };
	keyDone: { uniqueKey: string };
	keyTwice: { uniqueKey: string };
	keysUnavailable: { uniqueKey: string };
}

/** The facts that any failure may have. */
export interface SharedFacts {
	/** The fate of a failed add; `notSent` of any request that has proof of it. */
	fate?: Fate;
	/** The HTTP status, or the network's own code such as `ECONNREFUSED`. */
	httpCode?: string | undefined;
	/** The service's own words, or those of n8n where no response came. */
	serviceMessage?: string | undefined;
	retryAfterMs?: number | undefined;
	location?: string | undefined;
	/** The content that arrived instead of JSON or a video. */
	content?: 'html' | 'empty' | 'cutOff' | 'tooLong' | 'other' | undefined;
	/** The beginning of a response that leaves the fate of an add open, and the queue ID in it. */
	receivedText?: string | undefined;
	receivedQueueId?: string | undefined;
	tries?: number;
	/** Whether an earlier try may have been carried out. */
	mayBeDone?: boolean;
	/** The address and port that refused a connection, if they are on n8n's own machine, or in its container. */
	loopback?: string | undefined;
	/** The queue item's last known status. */
	lastStatus?: string;
	/** Of a download: the field that holds the address, as displayed, and the address without its query. */
	addressField?: string;
	address?: string;
}

/** The facts of a failure. */
export type FailureFacts = SharedFacts &
	(
		| { kind: SharedKind }
		| { [Kind in keyof OwnFacts]: { kind: Kind } & OwnFacts[Kind] }[keyof OwnFacts]
	);

/** The facts of a failure of any kind, as they are read: those of other kinds are missing. */
export type KnownFacts = SharedFacts & { kind: FailureKind } & Partial<
		Intersection<OwnFacts[keyof OwnFacts]>
	>;

type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
	all: infer All,
) => void
	? All
	: never;

/** Why a finished video could not be identified: so many new entries of the list may be it. */
export interface Unidentified {
	/** The number of entries; undefined if the list could not be read. */
	count?: number;
	projectId?: string | undefined;
}

/** The list could not be read that had to show a finished video: a later try may read it. */
export const UNREAD: Unidentified = {};

/** Whether an outcome is that one, also as n8n has kept it. */
export const isUnread = (unidentified: Unidentified | undefined) =>
	unidentified !== undefined && unidentified.count === undefined;

/** A failure, before it is put into words. Holds no header, and so no key. */
export class RequestFailure extends Error {
	readonly facts: KnownFacts;

	constructor(facts: FailureFacts) {
		super(facts.kind);
		this.facts = facts;
	}

	get kind(): FailureKind {
		return this.facts.kind;
	}

	with(facts: SharedFacts): RequestFailure {
		return new RequestFailure({ ...this.facts, ...facts } as FailureFacts);
	}
}

/** The execution was stopped, or a failed item has ended the run. */
export const CANCELLED = new RequestFailure({ kind: 'cancelled' });

/** No response, or no more of it, came in time. */
export const TIMED_OUT = new RequestFailure({ kind: 'uncertain', httpCode: 'ETIMEDOUT' });

export const BROKEN_OFF = new RequestFailure({ kind: 'uncertain', httpCode: 'ECONNRESET' });

/** Whether the service or the network has a problem that may pass. */
export const isTransient = ({ kind }: RequestFailure) =>
	kind === 'rateLimited' || kind === 'unreached' || kind === 'uncertain';

/** Whether no secure connection was made: mostly, the certificate was not accepted. */
export const isInsecure = ({ kind, facts }: RequestFailure) =>
	kind === 'unsent' && facts.httpCode !== undefined;

/** Kinds of failures of an item itself. */
const OF_ITEM: FailureKind[] = [
	'rejected',
	'unsuccessful',
	'notGenerated',
	'leftQueue',
	'ambiguousVideo',
	'tooManyVideos',
	'keyUsed',
	'keyDone',
	'keyTwice',
	'notAnAddress',
];

/** Whether a retry of the execution ends in the same failure as long as the workflow is not changed. */
export function isLasting(failure: RequestFailure): boolean {
	const { kind, facts } = failure;
	const isOfAccount = isOfKey(failure) || isAboutCredits(failure);
	return OF_ITEM.includes(kind) && !isOfAccount && !isUnread(facts.unidentified);
}

/** Whether the service refuses the key. The service answers in JSON: a web page comes from something in front of it. */
export function isOfKey({ kind, facts }: RequestFailure): boolean {
	const isDenied = facts.httpCode === '401' || facts.httpCode === '403';
	return kind === 'rejected' && isDenied && facts.content !== 'html';
}

export const isNotFound = ({ kind, facts }: RequestFailure) =>
	kind === 'rejected' && facts.httpCode === '404';

const NOT_SPENT =
	/\b(charged|deducted|refunded|returned)\b|\b(no credits? (was|were|has been|have been)|credits? (was|were|have been) not) (used|spent|consumed)\b/i;

/** Whether a failure is about credits: the specification leaves open how the service says so ("Errors", point 1). */
export function isAboutCredits({ kind, facts }: RequestFailure): boolean {
	const isRefusal = kind === 'rejected' || kind === 'unsuccessful';
	const words = facts.serviceMessage ?? '';
	// A refusal for another reason may add that no credit was charged.
	const namesCredits = /\bcredits?\b/i.test(words) && !NOT_SPENT.test(words);
	return facts.httpCode === '402' || (isRefusal && namesCredits);
}
