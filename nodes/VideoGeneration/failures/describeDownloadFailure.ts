import { ALLOW_ADDRESS } from './ALLOW_ADDRESS';
import { describeLongWait, LONGEST_RETRY_AFTER_MS } from './describeLongWait';
import type { FailureContext, FailureText } from './FailureText';
import type { FailureFacts, RequestFailure } from './requestFailure';
import { countTries } from './countTries';

const RUN_LESS =
	'Run the workflow less often or with fewer items at a time, or raise "Max Tries" under Options.';
const TIMED_OUT = ['ECONNABORTED', 'ETIMEDOUT'];

/** The texts of a failed download, where another host than the video service was asked. */
export function describeDownloadFailure(
	{ kind, facts }: RequestFailure,
	{ fields: field = '"Video URL"', rateLimitAdvice = RUN_LESS }: Partial<FailureContext> = {},
): FailureText {
	const { httpCode = '', serviceMessage = '', retryAfterMs = 0 } = facts;
	const getANewLink = `The link in ${field} may have expired: get a new one with Video > Get Many.`;
	const checkLink = `Check ${field} of this item.`;
	const isTooLong = retryAfterMs > LONGEST_RETRY_AFTER_MS;
	switch (kind) {
		case 'rateLimited':
			return {
				message: "The video's host is receiving too many requests",
				description: isTooLong
					? describeLongWait(retryAfterMs)
					: `${asked(facts)} ${rateLimitAdvice}`,
			};
		case 'unreached':
			return {
				message: `The video's host could not be reached (${httpCode})`,
				description: `${asked(facts)} ${checkLink} The host may be down: try again later.`,
			};
		case 'uncertain':
			return {
				message: describeBreak(facts),
				description: isTooLong
					? describeLongWait(retryAfterMs)
					: `${asked(facts)} Nothing was kept. This is a problem of the host or of the network: try again later.`,
			};
		case 'redirected':
			return describeRedirect(facts, getANewLink);
		case 'rejected':
			return describeRejection(facts, getANewLink, checkLink);
		case 'unreadable':
			return {
				message: nameWhatCame(facts),
				description: `${checkLink} ${getANewLink} Nothing was kept. ${asked(facts)}`,
			};
		case 'blocked':
			return describeBlock(facts, checkLink);
		case 'unsent':
			return describeUnsent(facts, checkLink);
		case 'cancelled':
			return { message: 'The execution was canceled', description: 'The download was ended.' };
		case 'unstored':
			return {
				message: `n8n could not store the video: "${serviceMessage}"`,
				description:
					'Check that n8n has room for the file where it keeps binary data, and that the file is not larger than n8n allows.',
			};
		default:
			return {
				message: `The download of the video failed: "${serviceMessage || httpCode}"`,
				description: `${checkLink} ${asked(facts)}`,
			};
	}
}

function describeUnsent(
	{ serviceMessage = '', address = 'The address' }: FailureFacts,
	checkLink: string,
): FailureText {
	const [message = '', next] = serviceMessage.replace(/\.$/, '').split(/\. (.*)/s);
	return {
		message: message || 'The video could not be asked for',
		description: `${next ?? `${checkLink} ${address} was not asked`}.`,
	};
}

function describeBlock({ address = 'The address' }: FailureFacts, checkLink: string): FailureText {
	return {
		message: "Requests to the video's address are blocked by n8n",
		description: `${address} was not asked: n8n is set to send nothing to private networks or to this host (SSRF protection). ${checkLink} See where it redirects to. ${ALLOW_ADDRESS}`,
	};
}

function describeBreak(facts: FailureFacts): string {
	const { httpCode = '', found, receivedBytes } = facts;
	if (found === 'cutOff') return `The video is cut off: its file ends after ${amount(facts)}`;
	if (/^\d/.test(httpCode)) return `The video's host failed to send the video (${httpCode})`;
	const hasBegun = receivedBytes !== undefined;
	if (found === 'tooSlow') {
		return `The video's host sends too slowly: next to nothing came after ${amount(facts)}`;
	}
	if (TIMED_OUT.includes(httpCode)) {
		return hasBegun
			? `The video's host stopped sending after ${amount(facts)}`
			: "The video's host did not answer in time";
	}
	return `The connection to the video's host broke ${hasBegun ? `after ${amount(facts)}` : 'before the video came'}`;
}

function describeRedirect(facts: FailureFacts, getANewLink: string): FailureText {
	const { found, location = '' } = facts;
	const message =
		found === 'tooMany'
			? "The video's address redirects again and again"
			: found === 'notWeb'
				? `The video's address redirects to "${location}", which leads to no web address`
				: "The video's address redirects without saying where";
	return { message, description: `${getANewLink} ${asked(facts)}` };
}

function describeRejection(
	facts: FailureFacts,
	getANewLink: string,
	checkLink: string,
): FailureText {
	const { httpCode = '' } = facts;
	switch (httpCode) {
		case '404':
		case '410':
			return {
				message: `There is no video at this address (${httpCode})`,
				description: `${getANewLink} ${asked(facts)}`,
			};
		case '401':
		case '403':
			return {
				message: `The video's host does not allow the download (${httpCode})`,
				description: `${getANewLink} The API key is not sent to the video's host. ${asked(facts)}`,
			};
		default:
			return {
				message: `The video's host rejected the request (${httpCode})`,
				description: `${checkLink} ${asked(facts)}`,
			};
	}
}

function nameWhatCame({ found = '', limit = '' }: FailureFacts): string {
	switch (found) {
		case 'tooLarge':
			return `The video is too large: it has more than ${limit}`;
		case 'html':
			return 'A web page came instead of a video';
		case 'empty':
			return "The video's host sent an empty file";
		default:
			return found === '' ? 'What came is not a video' : `What came is not a video, but ${found}`;
	}
}

function amount({ receivedBytes = 0, announcedBytes }: FailureFacts): string {
	const isAll = announcedBytes === undefined || announcedBytes === receivedBytes;
	const whole = isAll ? '' : ` of ${announcedBytes}`;
	return `${receivedBytes}${whole} bytes`;
}

function asked(facts: FailureFacts): string {
	return `${facts.address ?? 'The address'} was asked ${countTries(facts)}.`;
}
