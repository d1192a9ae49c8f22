/** A longer `Retry-After` fails the request at once: a running workflow does not wait that long. */
export const MAX_RETRY_AFTER_MS = 120_000;

/** `add` costs a credit, `clear` cannot be undone, `read` changes nothing. */
export type RequestKind = 'read' | 'clear' | 'add';

/**
 * The facts that only failures of one kind have. The kinds are those that the request policy and the texts
 * distinguish.
 */
interface FactsByKind {
	/** 429, refused before anything was done. */
	rateLimited: unknown;
	/** No connection was made, so the service never saw the request. */
	unreached: unknown;
	/** A server error, a broken connection or a timeout: the request may have been carried out. */
	uncertain: {
		/** Whether a download took longer than it may. */
		isTooSlow?: boolean;
	};
	/** 3xx, which is not followed because the key would go along. */
	redirected: {
		/** Whether a download was redirected too many times. */
		isTooMany?: boolean;
	};
	/** Any other 4xx. */
	rejected: unknown;
	/** A response that is not the JSON object of the specification, or a download that is not a video. */
	unreadable: {
		content: 'html' | 'empty' | 'cutOff' | 'tooLarge' | 'other';
		/** The limit that the response exceeds, with its unit. */
		limit?: string | undefined;
		/** The content type that the host of a download declares. */
		contentType?: string | undefined;
	};
	/** A 200 whose `status` is not `success`. */
	unsuccessful: { bodyStatus?: string | undefined };
	/** A 200 without the field that the specification promises. */
	incomplete: { field: string };
	/** n8n's own rules forbid the address (its protection of private networks, SSRF). */
	blocked: unknown;
	/** The credential cannot be used, so nothing was sent. */
	badCredential: { isBaseUrl: boolean; problem: string; whatToDo: string };
	/** The request could not be sent for a reason of n8n, or the certificate was not accepted. */
	unsent: unknown;
	/** The execution was stopped. */
	cancelled: unknown;
	/** The service reports that a generation failed. */
	notGenerated: unknown;
	/** A video was not finished within the wait's timeout. */
	timedOut: { waitedSeconds: number; hasLeftQueue: boolean };
	/** n8n could not store a file. */
	storageFailed: unknown;
	/** The address of a video to download is not one. */
	notAnAddress: unknown;
	/** The video to download cannot be told from others. */
	ambiguousVideo: {
		candidateCount: number;
		/** Whether the list of videos could not be read when it had to show the video. */
		isLogUnread: boolean;
	};
	/** The credits that are to be kept do not allow it. */
	overBudget: {
		remainingCredits: number;
		/** The number of videos of the run, their cost, and the credits to keep. */
		budget: { videos: number; credits: number; keep: number };
	};
	/** The credits could not be read, which the guard needs. */
	creditsUnknown: { reason: string };
	/** A video was queued for the item's unique key already, or may have been. */
	keyUsed: { uniqueKey: string };
	/** The node keeps as many unique keys as it can. */
	keysFull: { uniqueKey: string };
	/** n8n's record of the unique keys could not be read or written. */
	keysUnavailable: { uniqueKey: string };
}

export type FailureKind = keyof FactsByKind;

/** The facts that failures of several kinds have. */
interface SharedFacts {
	/** The HTTP status, or the network's own code such as `ECONNREFUSED`. */
	httpCode?: string | undefined;
	/** The service's own words, or those of n8n where no response came. */
	serviceMessage?: string | undefined;
	/** The delay that the service asks for. */
	retryAfterMs?: number | undefined;
	/** The target of a redirect. */
	location?: string | undefined;
	/** The beginning of a response that leaves the fate of an add open. */
	receivedText?: string | undefined;
	/** The queue ID in such a response, which may be that of the add or of another item. */
	receivedQueueId?: string | undefined;
	/** Whether the request went through the proxy of "Request Options". */
	isProxied?: boolean;
	/** The number of times the request was sent. */
	tries?: number;
	/** Whether an earlier try may have been carried out. */
	mayBeDone?: boolean;
	/** The queue item's last known status. */
	lastStatus?: string;
	/** Of a download: the field that holds the video's address, as displayed. */
	addressField?: string;
	/** Of a download: the address without its query, which may hold a key. */
	address?: string;
	/** Of a download. */
	receivedBytes?: number;
	announcedBytes?: number;
}

/** What is known of a failure of one kind. */
export type FactsOf<Kind extends FailureKind> = { kind: Kind } & FactsByKind[Kind] & SharedFacts;

/** What is known of a failure: its kind, and the facts that its sentence needs. */
export type FailureFacts = { [Kind in FailureKind]: FactsOf<Kind> }[FailureKind];

/** A failed request, before it is put into words. Holds no header, and so no key. */
export class RequestFailure extends Error {
	readonly kind: FailureKind;

	constructor(readonly facts: FailureFacts) {
		super(facts.kind);
		this.name = 'RequestFailure';
		this.kind = facts.kind;
	}

	with(facts: SharedFacts): RequestFailure {
		return new RequestFailure({ ...this.facts, ...facts });
	}
}

/** Whether the service does not know what was asked for. */
export function isNotFound({ kind, facts }: RequestFailure): boolean {
	return kind === 'rejected' && facts.httpCode === '404';
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
	return new RequestFailure({ kind: 'unreadable', httpCode: '200', content: 'tooLarge', limit });
}
