import type { FailureFacts, FailureKind, RequestFailure } from './failure';
import type { FailureText } from './texts';
import { ALLOW_ADDRESS, countTries, describeLongWait, isTimeout, RUN_LESS } from './texts';

/** The advice about a rate limit. */
export interface DownloadContext {
	rateLimitAdvice?: string;
}

type Describe = (
	facts: FailureFacts,
	context: Required<DownloadContext> & { field: string },
) => FailureText;

/** The texts for every kind of failure of a video's host. */
const TEXTS: Partial<Record<FailureKind, Describe>> = {
	rateLimited: (facts, { rateLimitAdvice }) => ({
		message: "The video's host is receiving too many requests",
		description: describeLongWait(facts) ?? `${asked(facts)} ${rateLimitAdvice}`,
	}),
	unreached: (facts, { field }) => ({
		message: `The video's host could not be reached (${facts.httpCode ?? ''})`,
		description: `${asked(facts)} ${check(field)} The host may be down: try again later.`,
	}),
	uncertain: (facts) => ({
		message: describeBreak(facts),
		description:
			describeLongWait(facts) ??
			`${asked(facts)} Nothing was stored. The host or the network is not working at the moment. Try again later.`,
	}),
	redirected: ({ found, location, ...facts }, { field }) => ({
		message:
			found === 'tooMany'
				? "The video's address redirects too many times"
				: location === undefined
					? "The video's address redirects without saying where"
					: "The video's address redirects to something that is not a web address",
		description: `${getNewLink(field)} ${asked(facts)}${location === undefined ? '' : ` It redirects to "${location}".`}`,
	}),
	rejected: describeRejection,
	unreadable: (facts, { field }) => ({
		message: nameContent(facts),
		description: `${check(field)} ${getNewLink(field)} Nothing was stored. ${asked(facts)}${describeType(facts)}`,
	}),
	blocked: ({ address = 'The address' }, { field }) => ({
		message: "n8n blocks requests to the video's address",
		description: `${address} was not requested: n8n's SSRF protection blocks private networks or this host. ${check(field)} Check where it redirects to. ${ALLOW_ADDRESS}`,
	}),
	unsent: describeUnsent,
	cancelled: () => ({
		message: 'The execution was canceled',
		description: 'The download was stopped.',
	}),
	unstored: ({ serviceMessage = '' }) => ({
		message: 'n8n could not store the video',
		description: `Check that n8n has enough storage for binary data, and that the file is not larger than n8n allows. n8n said: "${serviceMessage}"`,
	}),
};

/** Puts the failure of a download into words: the video's host was asked, not the video service. */
export function describeDownloadFailure(
	{ kind, facts }: RequestFailure,
	{ rateLimitAdvice = RUN_LESS }: DownloadContext = {},
): FailureText {
	const { addressField: field = "'Video URL'" } = facts;
	const describe = TEXTS[kind];
	if (describe) return describe(facts, { field, rateLimitAdvice });
	return {
		message: 'The download of the video failed',
		description: `${check(field)} ${asked(facts)}`,
	};
}

/** The reason is a sentence of ours or of n8n, whose first part says what happened. */
function describeUnsent(
	{ httpCode, serviceMessage = '', address = 'The address' }: FailureFacts,
	{ field }: { field: string },
): FailureText {
	if (httpCode !== undefined) {
		return {
			message: `No secure connection to the video's host could be made (${httpCode})`,
			description: `${check(field)} ${address} was not requested.`,
		};
	}
	const [message = '', next] = serviceMessage.replace(/\.$/, '').split(/\. (.*)/s);
	return {
		message: message || 'The video could not be requested',
		description: `${next ?? `${check(field)} ${address} was not requested`}.`,
	};
}

function describeBreak(facts: FailureFacts): string {
	const { httpCode = '', found, receivedBytes } = facts;
	if (/^\d/.test(httpCode)) return `The video's host failed to send the video (${httpCode})`;
	const hasBegun = receivedBytes !== undefined;
	if (found === 'tooSlow')
		return `The video's host is too slow: only ${amount(facts)} arrived in time`;
	if (isTimeout(httpCode)) {
		return hasBegun
			? `The video's host stopped sending after ${amount(facts)}`
			: "The video's host did not answer in time";
	}
	return `The connection to the video's host broke ${hasBegun ? `after ${amount(facts)}` : 'before the video arrived'}`;
}

function describeRejection(facts: FailureFacts, { field }: { field: string }): FailureText {
	const { httpCode = '' } = facts;
	switch (httpCode) {
		case '404':
		case '410':
			return {
				message: `There is no video at this address (${httpCode})`,
				description: `${getNewLink(field)} ${asked(facts)}`,
			};
		case '401':
		case '403':
			return {
				message: `The video's host does not allow the download (${httpCode})`,
				description: `${getNewLink(field)} The API key is not sent to the video's host. ${asked(facts)}`,
			};
		default:
			return {
				message: `The video's host rejected the request (${httpCode})`,
				description: `${check(field)} ${asked(facts)}`,
			};
	}
}

function nameContent({ found = '', limit = '' }: FailureFacts): string {
	switch (found) {
		case 'tooLarge':
			return `The video is too large: it has more than ${limit}`;
		case 'html':
			return 'The address returned a web page, not a video';
		case 'empty':
			return "The video's host sent an empty file";
		default:
			return 'The address returned something that is not a video';
	}
}

/** The content type that the host declares. */
function describeType({ found = '' }: FailureFacts): string {
	return found.includes('/') ? ` Its content type is "${found}".` : '';
}

function amount({ receivedBytes = 0, announcedBytes }: FailureFacts): string {
	const isAll = announcedBytes === undefined || announcedBytes === receivedBytes;
	return `${receivedBytes}${isAll ? '' : ` of ${announcedBytes}`} bytes`;
}

function asked(facts: FailureFacts): string {
	return countTries(facts, `${facts.address ?? 'The address'} was requested`);
}

function check(field: string): string {
	return `Check ${field} of this item.`;
}

function getNewLink(field: string): string {
	return `The link in ${field} may have expired: get a new one with Video > Get Many.`;
}
