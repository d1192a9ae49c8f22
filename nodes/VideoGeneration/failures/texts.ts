import type { FactsOf, FailureFacts, FailureKind, RequestFailure, RequestKind } from './failure';
import { isAboutCredits, MAX_RETRY_AFTER_MS } from './failure';

/** The text that a user sees for a failure. */
export interface FailureText {
	/** What happened. n8n searches it for "canceled", so it never quotes the service. */
	message: string;
	/** What to do next, and what the service said. */
	description: string;
}

/** The parts of an error text that depend on the operation. */
export interface FailureContext {
	requestKind: RequestKind;
	/** Whether the video was queued before the request that failed. */
	isQueued?: boolean;
	/** Whether the video may have been queued, although its queue ID is not known. */
	mayBeQueued?: boolean;
	/** The account's credits, where they are known. */
	remainingCredits?: number | undefined;
	/** The fields to check when the request is rejected, as displayed. */
	fields?: string;
	/** The advice about a rate limit. */
	rateLimitAdvice?: string;
	/** The text for a 404. */
	notFound?: FailureText;
}

export const ALLOW_ADDRESS =
	'If the address is right, ask your n8n administrator to allow it in N8N_SSRF_ALLOWED_HOSTNAMES or N8N_SSRF_ALLOWED_IP_RANGES.';
export const RUN_LESS =
	"Run the workflow less often or with fewer items at a time, or raise 'Max Tries' under 'Options'.";

const CHECK_CREDENTIAL = 'Open the Video Generation API credential';
const CHECK_BASE_URL = "Check 'Base URL' in the Video Generation API credential.";
const TRY_LATER = 'The service or the network is not working at the moment. Try again later.';
const MAY_BE_QUEUED =
	'The video may have been queued and paid for, so the request is not sent again. Before you queue it again, check the credits in Account > Get, or look for a new video in Video > Get Many after a few minutes.';

/** What helps when several videos of a project finish close together. */
export const TELL_APART =
	"To get each item its own video, leave 'Videos at Once' under 'Wait Options' at 1 and have nobody else make videos of the project meanwhile, use a project for each, or start a workflow for each finished video with the Video Generation Trigger. If the service lists its videos late, raise 'Listing Delay'.";

type Describe<Kind extends FailureKind> = (
	facts: FactsOf<Kind>,
	context: FailureContext,
) => FailureText;

/** The kinds that a request to the video service can fail with; the others are a download's (`downloadTexts.ts`). */
type ServiceKind = Exclude<FailureKind, 'notAnAddress' | 'storageFailed'>;

/** The texts for every kind of failure of the video service. */
const TEXTS: { [Kind in ServiceKind]: Describe<Kind> } = {
	rateLimited: (facts, { rateLimitAdvice = RUN_LESS }) => ({
		message: 'The video service is receiving too many requests',
		description: describeLongWait(facts) ?? join(countTries(facts), rateLimitAdvice, quote(facts)),
	}),
	unreached: describeUnreached,
	uncertain: describeUncertain,
	redirected: ({ location }) => ({
		message: "The video service's address redirects to another one",
		description: `${location === undefined ? '' : `It redirects to "${location}". `}To protect the API key, the redirect was not followed. If you trust the new address, open the Video Generation API credential and set 'Base URL' to it.`,
	}),
	rejected: describeRejection,
	unreadable: describeUnreadable,
	unsuccessful: (facts, context) => ({
		message: context.mayBeQueued
			? 'The video service did not confirm the request'
			: 'The video service did not carry out the request',
		description: join(checkFields(context), quote(facts)),
	}),
	incomplete: ({ field }) => ({
		message: `The response from the video service has no '${field}'`,
		description: `The service reported success, but its response does not match its specification. ${CHECK_BASE_URL}`,
	}),
	blocked: () => ({
		message: "n8n blocks requests to the video service's address",
		description: `Nothing was sent: n8n's SSRF protection blocks private networks or this host. ${CHECK_BASE_URL} ${ALLOW_ADDRESS}`,
	}),
	badCredential: ({ problem, whatToDo }) => ({
		message: problem,
		description: `${whatToDo} Nothing was sent.`,
	}),
	unsent: describeUnsent,
	cancelled: () => ({
		message: 'The execution was canceled',
		description: 'Nothing more was sent.',
	}),
	notGenerated: ({ lastStatus = '' }) => ({
		message: 'The video could not be generated',
		description: `The service stopped without making a video: the status is "${lastStatus}". Check the project and the prompt before you queue it again. 'Failed Statuses' under 'Wait Options' lists the statuses that mean that a video failed.`,
	}),
	ambiguousVideo: ({ candidateCount, isLogUnread }) => ({
		message: 'The video could not be identified, so it was not downloaded',
		description: isLogUnread
			? 'The list of videos could not be read. Look for it in Video > Get Many, and download it with Video > Download.'
			: candidateCount === 0
				? "It is not in the list of videos yet. Look for it in Video > Get Many in a few minutes, and download it with Video > Download. If videos appear there later than 'Listing Delay' under 'Wait Options', raise it."
				: `${candidateCount === 1 ? 'There is one video that it could be.' : `It could be any of ${candidateCount} videos.`} Find it in Video > Get Many, and download it with Video > Download. With an error output, 'videoCandidates' in 'details' lists them. ${TELL_APART}`,
	}),
	overBudget: ({ remainingCredits, budget }) => ({
		message: 'There are not enough credits to queue this video',
		description: `The account has ${remainingCredits} credits. ${describeCost(budget)}, and 'Credits to Keep' is ${budget.keep}. Nothing was queued for this item.`,
	}),
	creditsUnknown: ({ reason }) => ({
		message: "The account's credits could not be read, so nothing was queued",
		description: `'Credits to Keep' needs this number. ${reason}`,
	}),
	keyUsed: ({ uniqueKey }) => ({
		message: 'A video was already queued for this key, or may have been',
		description: `The key is ${JSON.stringify(uniqueKey)}. Nothing was sent for this item. Look for the video in Video > Get Many. To queue it again on purpose, change 'Unique Key'.`,
	}),
	keysFull: () => ({
		message: 'This node cannot keep another unique key',
		description:
			'It keeps 10,000 keys, and drops none of them, so that no video is queued twice. Nothing was sent for this item. To go on, replace the node with a copy of it, which starts with no keys, and leave out the rows that are done.',
	}),
	keysUnavailable: () => ({
		message: "n8n's record of the unique keys could not be used",
		description:
			"Nothing was sent for this item: without the record, its video could be queued twice. Check n8n's database, and run the item again.",
	}),
	timedOut: ({ waitedSeconds, lastStatus = 'unknown', hasLeftQueue, serviceMessage }) => ({
		message: hasLeftQueue
			? 'The queue item is no longer in the queue, and no new video appeared'
			: `The video was not finished within ${waitedSeconds} seconds`,
		description: `${
			hasLeftQueue
				? `It was cleared or is finished. Its last status was "${lastStatus}". Look for the video in Video > Get Many.`
				: `The video is still being made. Its last status was "${lastStatus}". To keep waiting, use Queue > Wait with this queue ID, or set a longer 'Timeout' under 'Wait Options'. To start a workflow when the video is finished, use the Video Generation Trigger.`
		}${serviceMessage === undefined ? '' : ` The last check failed: "${serviceMessage}"`}`,
	}),
};

/** What ends the wait for a queued video, although its generation goes on. */
const REFUSED_LATER: FailureKind[] = ['rejected', 'unsuccessful', 'unreadable', 'incomplete'];

/** Puts a failure into words: what happened, and what to do. */
export function describeFailure(failure: RequestFailure, context: FailureContext): FailureText {
	const { facts } = failure;
	const mayBeQueued = context.mayBeQueued === true;
	if (isAboutCredits(failure) && !mayBeQueued) return describeMissingCredits(facts, context);
	const describe = TEXTS[facts.kind as ServiceKind] as (
		facts: FailureFacts,
		context: FailureContext,
	) => FailureText;
	const { message, description } = describe(facts, context);
	if (context.isQueued && REFUSED_LATER.includes(facts.kind))
		return { message, description: join('The video is queued and paid for.', description) };
	if (!mayBeQueued || facts.kind === 'cancelled') return { message, description };
	// The advice about the money comes first.
	return { message, description: join(MAY_BE_QUEUED, quoteQueueId(facts), description) };
}

/** When the video may have been queued, "try again later" would be wrong. */
function describeUncertain(facts: FactsOf<'uncertain'>, context: FailureContext): FailureText {
	const { httpCode = '' } = facts;
	const advice = context.mayBeQueued
		? ''
		: (describeLongWait(facts) ?? join(countTries(facts), TRY_LATER));
	return {
		message: /^\d/.test(httpCode)
			? `The video service failed to process the request (${httpCode})`
			: isTimeout(httpCode)
				? 'The video service did not answer in time'
				: 'The connection to the video service broke before its response was complete',
		description: join(advice, quote(facts)),
	};
}

function describeCost({ videos, credits }: FactsOf<'overBudget'>['budget']): string {
	return `The ${videos === 1 ? 'video' : `${videos} videos`} in this run would cost ${credits}`;
}

function describeUnreached({ httpCode = '', isProxied }: FactsOf<'unreached'>): FailureText {
	const isUnknownHost = /^(ENOTFOUND|EAI_)/.test(httpCode);
	const reason = isUnknownHost ? 'its host name is unknown' : 'nothing accepts connections there';
	return isProxied === true
		? {
				message: `The proxy could not be reached: ${reason}`,
				description: `Check 'Proxy' under 'Request Options'. Nothing was sent to the video service (${httpCode}).`,
			}
		: {
				message: `The video service could not be reached: ${reason}`,
				description: `${CHECK_CREDENTIAL}, check 'Base URL' and test it. The service may be down. Nothing was sent (${httpCode}).`,
			};
}

function describeUnsent({ httpCode, serviceMessage = '' }: FactsOf<'unsent'>): FailureText {
	if (httpCode !== undefined) {
		return {
			message: `No secure connection to the video service could be made (${httpCode})`,
			description: `${CHECK_BASE_URL} If the service uses a private certificate, turn on 'Ignore SSL Issues (Insecure)' under 'Request Options'. Nothing was sent.`,
		};
	}
	const { first, others } = splitErrorOfN8n(serviceMessage);
	return {
		message: first || 'The request could not be sent',
		description: `${others ?? `${CHECK_CREDENTIAL} and test it.`} Nothing was sent.`,
	};
}

/** The message of an error of n8n: its first sentence says what happened, the others what to do. */
export function splitErrorOfN8n(text: string): { first: string; others: string | undefined } {
	const [first = '', others] = text.replace(/\.$/, '').split(/\. (.*)/s);
	return { first, others: others === undefined ? undefined : `${others}.` };
}

function describeRejection(facts: FactsOf<'rejected'>, context: FailureContext): FailureText {
	const { httpCode = '' } = facts;
	switch (httpCode) {
		case '401':
			return {
				message: 'The video service did not accept the API key',
				description: join(
					`${CHECK_CREDENTIAL}, paste 'API Key' again from the developers page of your account and test it.`,
					quote(facts),
				),
			};
		case '403':
			return {
				message: 'The video service does not allow this for the API key',
				description: join(
					`${CHECK_CREDENTIAL} and check that 'API Key' belongs to the account that owns the project or queue item.`,
					quote(facts),
				),
			};
		case '404':
			return context.notFound === undefined
				? {
						message: 'This address does not exist on the video service',
						description: join(CHECK_BASE_URL, quote(facts)),
					}
				: {
						message: context.notFound.message,
						description: join(context.notFound.description, quote(facts)),
					};
		case '407':
			return {
				message: 'The proxy rejected the request (407)',
				description: join(
					"Check the user name and password in 'Proxy' under 'Request Options'.",
					quote(facts),
				),
			};
		default:
			return {
				message: `The video service rejected the request (${httpCode})`,
				description: join(checkFields(context), quote(facts)),
			};
	}
}

function describeUnreadable(
	{ content, limit = '' }: FactsOf<'unreadable'>,
	{ mayBeQueued }: FailureContext,
): FailureText {
	const wrongAddress =
		"'Base URL' in the Video Generation API credential is probably wrong. Enter the address of the API, not the website.";
	switch (content) {
		case 'html':
			return {
				message: 'A web page answered instead of the video service',
				description: wrongAddress,
			};
		case 'empty':
			return {
				message: 'The video service sent an empty response',
				description: mayBeQueued
					? CHECK_BASE_URL
					: "Try again. If it happens again, check 'Base URL' in the Video Generation API credential.",
			};
		case 'cutOff':
			return {
				message: 'The response from the video service was cut off',
				description: mayBeQueued ? '' : TRY_LATER,
			};
		case 'tooLarge':
			return {
				message: `The response from the video service is too large: it has more than ${limit}`,
				description: `To protect n8n's memory, it was not read. ${CHECK_BASE_URL}`,
			};
		case 'other':
			return {
				message: 'The response from the video service is not JSON',
				description: wrongAddress,
			};
	}
}

function describeMissingCredits(
	facts: FailureFacts,
	{ requestKind, remainingCredits }: FailureContext,
): FailureText {
	if (requestKind !== 'add') {
		return {
			message: 'The account does not have enough credits',
			description: join(
				'The service refused this free request for lack of credits. Add credits to the account and try again.',
				quote(facts),
			),
		};
	}
	const balance =
		remainingCredits === undefined
			? ''
			: `The account has ${remainingCredits} ${remainingCredits === 1 ? 'credit' : 'credits'} left.`;
	return {
		message: 'There are not enough credits for this video',
		description: join(
			balance,
			'This video was not queued. Add credits to the account, or choose a project that costs less, and try again.',
			quote(facts),
		),
	};
}

/** @returns undefined unless the service asks for a wait that is too long for a running workflow */
export function describeLongWait({
	retryAfterMs = 0,
}: Pick<FailureFacts, 'retryAfterMs'>): string | undefined {
	if (retryAfterMs <= MAX_RETRY_AFTER_MS) return undefined;
	const minutes = Math.ceil(retryAfterMs / 60_000);
	return `It asks to try again in ${minutes} minutes, which is too long for a running workflow. Run the workflow again after that.`;
}

export function isTimeout(httpCode: string): boolean {
	return httpCode === 'ECONNABORTED' || httpCode === 'ETIMEDOUT';
}

/** A sentence that tells how often the request was sent. */
export function countTries(
	{ tries = 1 }: Pick<FailureFacts, 'tries'>,
	subject = 'The request was sent',
): string {
	return `${subject} ${tries === 1 ? 'once' : `${tries} times`}.`;
}

function quoteQueueId({ receivedQueueId }: FailureFacts): string {
	return receivedQueueId === undefined
		? ''
		: `The response names the queue ID ${JSON.stringify(receivedQueueId)}, which Queue > Get Progress can check.`;
}

/** The service's own words, as a sentence of their own. */
function quote({ serviceMessage }: Pick<FailureFacts, 'serviceMessage'>): string {
	return serviceMessage === undefined ? '' : `The service said: "${serviceMessage}"`;
}

/** Sentences one after another; empty ones are left out. */
export function join(...sentences: string[]): string {
	return sentences.filter((sentence) => sentence !== '').join(' ');
}

function checkFields({ fields }: FailureContext): string {
	return fields === undefined
		? `${CHECK_CREDENTIAL} and test it.`
		: `Check ${fields} of this item.`;
}
