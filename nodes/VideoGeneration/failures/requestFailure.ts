/**
 * What went wrong with one request, as far as the policy cares:
 * - `rateLimited`: 429, refused before anything was done
 * - `unreached`: no connection was made, so the service never saw the request
 * - `uncertain`: a server error, a reset or a timeout; the request may have been carried out
 * - `redirected`: 3xx; it is not followed, for the key would go along
 * - `rejected`: any other 4xx, the service said no
 * - `unreadable`: an answer that is not the JSON object of the specification
 * - `unsuccessful`: a 200 whose `status` is not `success`
 * - `incomplete`: a 200 without the field that the specification promises
 * - `blocked`: n8n's own rules forbid the address (its protection of private networks, SSRF)
 * - `unsent`: it could not even be sent, e.g. for want of an address or a key
 * - `cancelled`: the execution was stopped
 * - `notGenerated`: the service says that the generation of a video has failed
 * - `timedOut`: a video was not finished in the time that it was waited for
 * - `unstored`: n8n could not store a file
 * - `unexpected`: anything else, e.g. a certificate that is not trusted
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
	| 'unexpected';

export interface FailureFacts {
	/** The HTTP status, or the network's own code such as `ECONNREFUSED`. */
	httpCode?: string;
	/** The service's own words. */
	serviceMessage?: string;
	/** How long the service asks to wait, in milliseconds. */
	retryAfterMs?: number;
	/** Where a redirect leads to. */
	location?: string;
	/** What an unreadable answer was instead, or which field is missing in an incomplete one. */
	found?: string;
	/** What an answer was allowed to have at the most. */
	limit?: string;
	/** Where a video was asked for, without the query, which may be a key. */
	address?: string;
	/** How much of a video had come, and how much was to come. */
	receivedBytes?: number;
	announcedBytes?: number;
	/** How many times the request was sent. */
	tries?: number;
	/** The queue item's last status that is known. */
	lastStatus?: string;
	/** How long a video was waited for. */
	waitedSeconds?: number;
}

/** One failed request, before it is told to the user. Holds no header, and so no key. */
export class RequestFailure extends Error {
	constructor(
		readonly kind: FailureKind,
		readonly facts: FailureFacts = {},
	) {
		super(kind);
		this.name = 'RequestFailure';
	}
}
