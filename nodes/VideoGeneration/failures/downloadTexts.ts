import type { FactsOf, FailureFacts, FailureKind, RequestFailure } from './failure';
import type { FailureText } from './texts';
import {
	ALLOW_ADDRESS,
	countTries,
	describeLongWait,
	isTimeout,
	join,
	RUN_LESS,
	splitErrorOfN8n,
} from './texts';

/** The advice about a rate limit. */
export interface DownloadContext {
	rateLimitAdvice?: string;
}

type Describe<Kind extends FailureKind> = (
	facts: FactsOf<Kind>,
	context: Required<DownloadContext> & { field: string },
) => FailureText;

/** The kinds that a download can fail with. */
type DownloadKind =
	| Extract<FailureKind, 'rateLimited' | 'unreached' | 'uncertain' | 'redirected' | 'rejected'>
	| Extract<FailureKind, 'unreadable' | 'blocked' | 'unsent' | 'cancelled'>
	| Extract<FailureKind, 'notAnAddress' | 'storageFailed'>;

/** The texts for every kind of failure of a video's host. */
const TEXTS: { [Kind in DownloadKind]: Describe<Kind> } = {
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
	redirected: ({ isTooMany, location, ...facts }, { field }) => ({
		message:
			isTooMany === true
				? "The video's address redirects too many times"
				: location === undefined
					? "The video's address redirects without saying where"
					: "The video's address redirects to something that is not a web address",
		description: `${getNewLink(field)} ${asked(facts)}${location === undefined ? '' : ` It redirects to "${location}".`}`,
	}),
	rejected: describeRejection,
	unreadable: (facts, { field }) => ({
		message: nameContent(facts),
		description: join(
			check(field),
			getNewLink(field),
			'Nothing was stored.',
			asked(facts),
			describeType(facts),
		),
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
	notAnAddress: () => ({
		message: 'The address of the video is not a web address',
		description: 'Get the video again with Video > Get Many.',
	}),
	storageFailed: ({ serviceMessage = '' }) => ({
		message: 'n8n could not store the video',
		description: `Check that n8n has enough storage for binary data, and that the file is not larger than n8n allows. n8n said: "${serviceMessage}"`,
	}),
};

/** Puts the failure of a download into words: the video's host was asked, not the video service. */
export function describeDownloadFailure(
	{ facts }: RequestFailure,
	{ rateLimitAdvice = RUN_LESS }: DownloadContext = {},
): FailureText {
	const { addressField: field = "'Video URL'" } = facts;
	const describe = TEXTS[facts.kind as DownloadKind] as Describe<FailureKind>;
	return describe(facts, { field, rateLimitAdvice });
}

function describeUnsent(
	{ httpCode, serviceMessage = '', address = 'The address' }: FactsOf<'unsent'>,
	{ field }: { field: string },
): FailureText {
	if (httpCode !== undefined) {
		return {
			message: `No secure connection to the video's host could be made (${httpCode})`,
			description: `${check(field)} ${address} was not requested.`,
		};
	}
	const { first, others } = splitErrorOfN8n(serviceMessage);
	return {
		message: first || 'The video could not be requested',
		description: others ?? `${check(field)} ${address} was not requested.`,
	};
}

function describeBreak(facts: FactsOf<'uncertain'>): string {
	const { httpCode = '', isTooSlow, receivedBytes } = facts;
	if (/^\d/.test(httpCode)) return `The video's host failed to send the video (${httpCode})`;
	const hasBegun = receivedBytes !== undefined;
	if (isTooSlow === true)
		return `The video's host is too slow: only ${amount(facts)} arrived in time`;
	if (isTimeout(httpCode)) {
		return hasBegun
			? `The video's host stopped sending after ${amount(facts)}`
			: "The video's host did not answer in time";
	}
	return `The connection to the video's host broke ${hasBegun ? `after ${amount(facts)}` : 'before the video arrived'}`;
}

function describeRejection(facts: FactsOf<'rejected'>, { field }: { field: string }): FailureText {
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

function nameContent({ content, limit = '' }: FactsOf<'unreadable'>): string {
	switch (content) {
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
function describeType({ contentType }: FactsOf<'unreadable'>): string {
	return contentType === undefined ? '' : `Its content type is "${contentType}".`;
}

function amount({ receivedBytes = 0, announcedBytes }: FactsOf<'uncertain'>): string {
	const isAll = announcedBytes === undefined || announcedBytes === receivedBytes;
	return `${receivedBytes}${isAll ? '' : ` of ${announcedBytes}`} bytes`;
}

function asked(facts: Pick<FailureFacts, 'address' | 'tries'>): string {
	return countTries(facts, `${facts.address ?? 'The address'} was requested`);
}

function check(field: string): string {
	return `Check ${field} of this item.`;
}

function getNewLink(field: string): string {
	return `The link in ${field} may have expired: get a new one with Video > Get Many.`;
}

/** The text for a download of the trigger, whose poll has an end. */
export const OUT_OF_TIME: FailureText = {
	message: 'The video was not downloaded within the time that n8n allows for a poll',
	description: 'Download it in the workflow with Video > Download, which has more time.',
};

/** The text for an entry of the video log that the trigger emits. */
export const URL_IS_NOT_AN_ADDRESS: FailureText = {
	message: "The 'url' of the video is not a web address",
	description: 'Get the video again with Video > Get Many, and download it with Video > Download.',
};
