import { ALLOW_ADDRESS } from './ALLOW_ADDRESS';
import { describeLongWait, LONGEST_RETRY_AFTER_MS } from './describeLongWait';
import { describeDownloadFailure } from './describeDownloadFailure';
import { describeFailedGeneration, describeTimeOut } from './describeFailedWait';
import type { FailureContext, FailureText } from './FailureText';
import { isAboutCredits } from './isAboutCredits';
import type { FailureFacts, RequestFailure } from './requestFailure';
import { countTries } from './countTries';

const CHECK_CREDENTIAL = 'Open the Video Generation API credential';
const MAYBE_QUEUED =
	'The video may have been queued and paid for all the same, so the request was not sent again. Compare the credits in Account > Get, or look for a new video in Video > Get Many in a few minutes, before you queue it again.';

/** Tells the user in two sentences what happened and what to do: the one place of all such texts. */
export function describeFailure(failure: RequestFailure, context: FailureContext): FailureText {
	const { kind, facts } = failure;
	if (context.isOfVideoHost === true) return describeDownloadFailure(failure, context);
	if (isAboutCredits(failure)) return describeMissingCredits(facts, context);
	switch (kind) {
		case 'rateLimited':
			return describeRateLimit(facts, context);
		case 'unreached':
			return describeUnreached(facts);
		case 'uncertain':
			return describeUncertain(facts, context);
		case 'redirected':
			return describeRedirect(facts);
		case 'rejected':
			return describeRejection(facts, context);
		case 'unreadable':
			return withMaybeQueued(describeUnreadable(facts), context);
		case 'unsuccessful':
			return {
				message: `The video service reported a failure${quote(facts)}`,
				description: checkFields(context),
			};
		case 'incomplete':
			return withMaybeQueued(
				{
					message: `The answer of the video service lacks "${facts.found ?? ''}"`,
					description: `The service answered with success, but not as its specification says. Check "Base URL" in the Video Generation API credential, or ask the service's support.`,
				},
				context,
			);
		case 'blocked':
			return {
				message: "Requests to the video service's address are blocked by n8n",
				description: `Nothing was sent: n8n is set to send nothing to private networks or to this host (SSRF protection). ${CHECK_CREDENTIAL} and check "Base URL". ${ALLOW_ADDRESS}`,
			};
		case 'unsent':
			return describeUnsent(facts);
		case 'cancelled':
			return { message: 'The execution was canceled', description: 'Nothing more was sent.' };
		case 'notGenerated':
			return describeFailedGeneration(facts);
		case 'timedOut':
			return describeTimeOut(facts);
		case 'unstored':
		case 'unexpected':
			return withMaybeQueued(
				{
					message: `The request to the video service failed${quote(facts)}`,
					description: `${CHECK_CREDENTIAL} and test it.`,
				},
				context,
			);
	}
}

/** The reason is one of ours or of n8n's, whose first sentence says what happened. */
function describeUnsent({
	serviceMessage = 'The request could not be sent',
}: FailureFacts): FailureText {
	const [message = '', next] = serviceMessage.replace(/\.$/, '').split(/\. (.*)/s);
	return {
		message,
		description: `${next ?? `${CHECK_CREDENTIAL} and test it`}. Nothing was sent.`,
	};
}

const RUN_LESS =
	'Run the workflow less often or with fewer items at a time, or raise "Max Tries" under Options.';

function describeRateLimit(
	facts: FailureFacts,
	{ rateLimitAdvice = RUN_LESS }: FailureContext,
): FailureText {
	const message = 'The video service is receiving too many requests';
	const { retryAfterMs = 0 } = facts;
	if (retryAfterMs > LONGEST_RETRY_AFTER_MS) {
		return { message, description: describeLongWait(retryAfterMs) };
	}
	return {
		message,
		description: `It was asked ${countTries(facts)}${quote(facts, ' and said')}. ${rateLimitAdvice}`,
	};
}

function describeUnreached({ httpCode }: FailureFacts): FailureText {
	const why =
		httpCode === 'ENOTFOUND' || httpCode === 'EAI_AGAIN'
			? 'its host name is not known'
			: 'nothing accepts connections there';
	return {
		message: `The video service could not be reached: ${why}`,
		description: `${CHECK_CREDENTIAL}, check "Base URL" and test it. The service may be down: nothing was sent (${httpCode ?? ''}).`,
	};
}

function describeUncertain(facts: FailureFacts, context: FailureContext): FailureText {
	const { httpCode = '', retryAfterMs = 0 } = facts;
	const message = /^\d/.test(httpCode)
		? `The video service failed to process the request (${httpCode})${quote(facts)}`
		: httpCode === 'ECONNABORTED' || httpCode === 'ETIMEDOUT'
			? 'The video service did not answer in time'
			: 'The connection to the video service broke before its answer was complete';
	if (context.requestKind === 'add') return { message, description: MAYBE_QUEUED };
	const next =
		retryAfterMs > LONGEST_RETRY_AFTER_MS
			? describeLongWait(retryAfterMs)
			: `It was asked ${countTries(facts)}. This is a problem of the service or of the network: try again later.`;
	return { message, description: next };
}

function describeRedirect({ location }: FailureFacts): FailureText {
	const target = location === undefined ? '' : ` to ${location}`;
	return {
		message: `The video service's address redirects${target}`,
		description: `It was not followed, so that the API key is sent nowhere else. ${CHECK_CREDENTIAL} and set "Base URL" to the address that the redirect leads to, if you trust it.`,
	};
}

function describeRejection(facts: FailureFacts, context: FailureContext): FailureText {
	switch (facts.httpCode) {
		case '401':
			return {
				message: `The video service did not accept the API key${quote(facts)}`,
				description: `${CHECK_CREDENTIAL}, paste "API Key" again from the developers page of your account and test it.`,
			};
		case '403':
			return {
				message: `The video service does not allow this to the API key${quote(facts)}`,
				description: `${CHECK_CREDENTIAL} and check that "API Key" belongs to the account that owns what the node asks for.`,
			};
		case '404':
			return (
				context.notFound ?? {
					message: `The video service has no such address${quote(facts)}`,
					description: `${CHECK_CREDENTIAL} and check "Base URL".`,
				}
			);
		default:
			return {
				message: `The video service rejected the request (${facts.httpCode ?? ''})${quote(facts)}`,
				description: checkFields(context),
			};
	}
}

function describeUnreadable({ found, limit = '' }: FailureFacts): FailureText {
	const description = `Most likely "Base URL" in the Video Generation API credential is wrong: enter the address of the API, not of the website.`;
	switch (found) {
		case 'html':
			return { message: 'A web page answered instead of the video service', description };
		case 'empty':
			return {
				message: 'The video service sent an empty answer',
				description: `Try again. If it stays so, check "Base URL" in the Video Generation API credential.`,
			};
		case 'tooLarge':
		case 'tooDeep':
		case 'tooManyParts':
			return describeExcess(found, limit);
		case 'cutOff':
			return {
				message: 'The answer of the video service was cut off',
				description: 'Try again: this is a problem of the service or of the network.',
			};
		default:
			return { message: 'The answer of the video service is not JSON', description };
	}
}

function describeExcess(found: string, limit: string): FailureText {
	const what = { tooLarge: 'too large', tooDeep: 'nested too deeply' }[found] ?? 'too complex';
	return {
		message: `The answer of the video service is ${what}: it has more than ${limit}`,
		description: `It was not taken in, so that n8n does not run out of memory. Check "Base URL" in the Video Generation API credential, or ask the service's support.`,
	};
}

function describeMissingCredits(
	facts: FailureFacts,
	{ requestKind, remainingCredits }: FailureContext,
): FailureText {
	if (requestKind !== 'add') {
		return {
			message: `The account has not enough credits${quote(facts)}`,
			description:
				'The service refuses this for want of credits, though it costs none. Add credits to the account, and run it again.',
		};
	}
	const balance =
		remainingCredits === undefined
			? ''
			: `The account has ${remainingCredits} ${remainingCredits === 1 ? 'credit' : 'credits'} left. `;
	return {
		message: `There are not enough credits for this video${quote(facts)}`,
		description: `${balance}This video was not queued. Add credits to the account, or choose a project that costs less, and run it again.`,
	};
}

/** After an answer that cannot be read, an add may have been accepted all the same. */
function withMaybeQueued(text: FailureText, { requestKind }: FailureContext): FailureText {
	if (requestKind !== 'add') return text;
	return { message: text.message, description: `${MAYBE_QUEUED} ${text.description}` };
}

function checkFields({ fields }: FailureContext): string {
	return fields === undefined
		? `${CHECK_CREDENTIAL} and test it.`
		: `Check ${fields} of this item.`;
}

function quote({ serviceMessage }: FailureFacts, lead = ':'): string {
	return serviceMessage === undefined ? '' : `${lead} "${serviceMessage}"`;
}
