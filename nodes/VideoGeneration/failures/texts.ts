import type { FailureFacts, FailureKind, RequestFailure, RequestKind } from './failure';
import { isAboutCredits, MAX_RETRY_AFTER_MS } from './failure';

/** The text that a user sees for a failure. */
export interface FailureText {
	/** What happened. n8n searches it for "canceled", so it never quotes the service. */
	message: string;
	/** What to do next, and what the service said. */
	description: string;
}

/** What the texts need besides the failure. */
export interface FailureContext {
	requestKind: RequestKind;
	/** Whether the video is queued: it was added before the request that failed, or was seen in the queue. */
	isQueued?: boolean;
	/** Whether the video may have been queued, although its queue ID is not known. */
	mayBeQueued?: boolean;
	/** The account's credits, where they are known. */
	remainingCredits?: number | undefined;
	/** Whether n8n offers to retry the execution: it has failed, and no agent has called the node. */
	canBeRetried?: boolean;
	/** The fields to check when the request is rejected, as displayed. */
	fields?: string;
	/** The advice about a rate limit. */
	rateLimitAdvice?: string;
	/** What happens next, or is to be done, after a failure that may pass. */
	nextTry?: string;
	/** What to do if the service has a private certificate. */
	certificateAdvice?: string;
	/** The text for a 404. */
	notFound?: FailureText;
}

const OPEN = 'Open the Video Generation API credential';
const CHECK_BASE_URL = "Check 'Base URL' in the Video Generation API credential.";
const WRONG_BASE_URL =
	"'Base URL' in the Video Generation API credential is probably wrong. Enter the address of the API, not the website.";
const TRY_LATER = '{sent} The service or the network is not working at the moment. {nextTry}';
const ALLOW_ADDRESS =
	'If the address is right, ask your n8n administrator to allow it in N8N_SSRF_ALLOWED_HOSTNAMES or N8N_SSRF_ALLOWED_IP_RANGES.';
const SAID = 'The service said: "{serviceMessage}"';
const AGAIN = ['{wait}', TRY_LATER, SAID];
const N8N_SAID = 'n8n said: "{serviceMessage}"';

const CHECK_LINK = 'Check {addressField} of this item.';
const NEW_LINK =
	'The link in {addressField} may have expired: get a new one with Video > Get Many.';
const NOT_A_VIDEO = [`${CHECK_LINK} ${NEW_LINK} Nothing was stored.`, '{sent}'];
const HOST_AGAIN = [
	'{wait}',
	'{sent} Nothing was stored. The host or the network is not working at the moment. {nextTry}',
];

/** What helps when several videos of a project finish close together. */
export const TELL_APART =
	"To get each item its own video, leave 'Videos at Once' under 'Wait Options' at 1, and have nobody else make videos of the project meanwhile. If the service lists its videos late, raise 'Listing Delay'.";

/**
 * The texts for every kind of failure, where needed with a variant (see `getVariant`): what happened, and
 * then what to do. A `{slot}` is a fact or one of `createSlots`. A sentence without one of its facts is
 * left out.
 */
const SERVICE: Record<string, [message: string, ...sentences: string[]]> = {
	rateLimited: [
		'The video service is receiving too many requests',
		'{wait}',
		'{sent} {rateLimitAdvice}',
		SAID,
	],
	unreached: [
		'The video service could not be reached: {whyUnreached}',
		`${OPEN}, check 'Base URL' and test it. The service may be down. {nextTry}`,
		'{nothingSent} ({httpCode}).',
	],
	'unreached.proxy': [
		'The proxy could not be reached: {whyUnreached}',
		"Check 'Proxy' under 'Request Options'.",
		'{nothingSent} to the video service ({httpCode}).',
	],
	uncertain: [
		'The connection to the video service broke before its response was complete',
		...AGAIN,
	],
	'uncertain.timeout': ['The video service did not answer in time', ...AGAIN],
	'uncertain.status': ['The video service failed to process the request ({httpCode})', ...AGAIN],
	redirected: [
		"The video service's address redirects to another one",
		'It redirects to "{location}".',
		`To protect the API key, the redirect was not followed. If you trust the new address, open the Video Generation API credential and set 'Base URL' to it.`,
	],
	rejected: [
		'The video service rejected the request ({httpCode})',
		'{checkFields}',
		'{notQueued}',
		SAID,
	],
	'rejected.401': [
		'The video service did not accept the API key',
		`${OPEN}, paste 'API Key' again from the developers page of your account and test it.`,
		SAID,
	],
	'rejected.403': [
		'The video service does not allow this for the API key',
		`${OPEN} and check that 'API Key' belongs to the account that owns the project or queue item.`,
		SAID,
	],
	'rejected.404': ['This address does not exist on the video service', CHECK_BASE_URL, SAID],
	'rejected.407': [
		'The proxy rejected the request (407)',
		"Check the user name and password in 'Proxy' under 'Request Options'.",
		SAID,
	],
	'unreadable.html': ['A web page answered instead of the video service', WRONG_BASE_URL],
	'unreadable.empty': [
		'The video service sent an empty response',
		`{sent} Try again. If it happens again, check 'Base URL' in the Video Generation API credential.`,
	],
	'unreadable.cutOff': ['The response from the video service was cut off', TRY_LATER],
	'unreadable.tooLarge': [
		'The response from the video service is too large: it has more than {limit}',
		`To protect n8n's memory, it was not read. ${CHECK_BASE_URL}`,
	],
	'unreadable.other': ['The response from the video service is not JSON', WRONG_BASE_URL],
	unsuccessful: ['The video service did not carry out the request', '{checkFields}', SAID],
	'unsuccessful.unconfirmed': [
		'The video service did not confirm the request',
		'{checkFields}',
		SAID,
	],
	incomplete: [
		"The response from the video service has no '{field}'",
		`The service reported success, but its response does not match its specification. ${CHECK_BASE_URL}`,
	],
	blocked: [
		"n8n blocks requests to the video service's address",
		`The SSRF protection of n8n blocks private networks or this host. ${CHECK_BASE_URL} ${ALLOW_ADDRESS}`,
		'{nothingSent}.',
	],
	badCredential: ['{problem}', '{whatToDo}', '{nothingSent}.'],
	unsent: ['{serviceMessage}', `${OPEN} and test it.`, '{nothingSent}.'],
	'unsent.certificate': [
		'No secure connection to the video service could be made ({httpCode})',
		`${CHECK_BASE_URL} If the service uses a private certificate, {certificateAdvice}.`,
		'{nothingSent}.',
	],
	cancelled: ['The execution was canceled', 'Nothing more was sent.'],
	notGenerated: [
		'The video could not be generated',
		`The service stopped without making a video: the status is "{lastStatus}", which is one of 'Failed Statuses' under 'Wait Options'. Correct the project or the prompt before you queue it again, which costs credits again. Account > Get shows whether this one was refunded.`,
		SAID,
	],
	ambiguousVideo: [
		'The video could not be identified, so it was not downloaded',
		`{candidates} Find it in Video > Get Many, and download it with Video > Download. With an error output, 'videoCandidates' in 'details' lists them. ${TELL_APART}`,
	],
	'ambiguousVideo.none': [
		'The video could not be identified, so it was not downloaded',
		"It is not in the list of videos yet. Look for it in Video > Get Many in a few minutes, and download it with Video > Download. If videos appear there later than 'Listing Delay' under 'Wait Options', raise it.",
	],
	'ambiguousVideo.unread': [
		'The video could not be identified, so it was not downloaded',
		'The list of videos could not be read. Look for it in Video > Get Many, and download it with Video > Download.',
	],
	timedOut: [
		'The video was not finished within {waitedSeconds} seconds',
		`The video is still being made. Its last status was "{lastStatus}". To keep waiting, use Queue > Wait with this queue ID, or set a longer 'Timeout' under 'Wait Options'. To start a workflow when the video is finished, use the Video Generation Trigger.`,
		'The last check failed: "{serviceMessage}"',
	],
	'timedOut.left': [
		'The queue item is no longer in the queue, and no new video appeared',
		'It was deleted or is finished. Its last status was "{lastStatus}". Look for the video in Video > Get Many.',
		'The last check failed: "{serviceMessage}"',
	],
	credits: [
		'The account does not have enough credits',
		'The service refused this free request for lack of credits. Add credits to the account and try again.',
		SAID,
	],
	'credits.add': [
		'There are not enough credits for this video',
		'The account has {credits} left.',
		'This video was not queued. Add credits to the account, or choose a project that costs less, and try again.',
		SAID,
	],
	overBudget: [
		'There are not enough credits to queue this video',
		"The account has {credits}. The {cost}, and 'Credits to Keep' is {keep}. Nothing was queued for this item. Add credits, choose a project that costs less, or lower 'Credits to Keep' under 'Options'.",
	],
	creditsUnknown: [
		"The account's credits could not be read, so nothing was queued",
		"'Credits to Keep' needs this number. {reason}",
	],
	keyUsed: [
		'A video was already queued for this key, or may have been',
		`The key is "{uniqueKey}". Nothing was sent for this item. Look for the video in Video > Get Many. To queue it again on purpose, give this item another 'Unique Key', such as a new ID.`,
	],
	keysFull: [
		'This node cannot keep another unique key',
		'It keeps 10,000 keys, and drops none of them, so that no video is queued twice. Nothing was sent for this item. To go on, replace the node with a copy of it, which starts with no keys, and leave out the rows that are done.',
	],
	keysUnavailable: [
		"n8n's record of the unique keys could not be used",
		"Nothing was sent for this item: without the record, its video could be queued twice. Check n8n's database, and run the item again.",
	],
};

/** The texts for a download, whose requests go to the video's host. */
const HOST: typeof SERVICE = {
	rateLimited: [
		"The video's host is receiving too many requests",
		'{wait}',
		'{sent} {rateLimitAdvice}',
	],
	unreached: [
		"The video's host could not be reached ({httpCode})",
		`{sent} ${CHECK_LINK} The host may be down. {nextTry}`,
	],
	uncertain: ["The connection to the video's host broke before the video arrived", ...HOST_AGAIN],
	'uncertain.midway': ["The connection to the video's host broke after {amount}", ...HOST_AGAIN],
	'uncertain.timeout': ["The video's host did not answer in time", ...HOST_AGAIN],
	'uncertain.stopped': ["The video's host stopped sending after {amount}", ...HOST_AGAIN],
	'uncertain.tooSlow': [
		"The video's host is too slow: only {amount} arrived in time",
		...HOST_AGAIN,
	],
	'uncertain.status': ["The video's host failed to send the video ({httpCode})", ...HOST_AGAIN],
	redirected: [
		"The video's address redirects to something that is not a web address",
		NEW_LINK,
		'{sent}',
		'It redirects to "{location}".',
	],
	'redirected.tooMany': ["The video's address redirects too many times", NEW_LINK, '{sent}'],
	rejected: ["The video's host rejected the request ({httpCode})", CHECK_LINK, '{sent}'],
	'rejected.gone': ['There is no video at this address ({httpCode})', NEW_LINK, '{sent}'],
	'rejected.denied': [
		"The video's host does not allow the download ({httpCode})",
		`${NEW_LINK} The API key is not sent to the video's host.`,
		'{sent}',
	],
	unreadable: [
		'The address returned {content}',
		...NOT_A_VIDEO,
		'Its content type is "{contentType}".',
	],
	'unreadable.empty': ["The video's host sent an empty file", ...NOT_A_VIDEO],
	'unreadable.tooLarge': ['The video is too large: it has more than {limit}', ...NOT_A_VIDEO],
	blocked: [
		"n8n blocks requests to the video's address",
		`{address} was not requested: n8n's SSRF protection blocks private networks or this host. ${CHECK_LINK} Check where it redirects to. ${ALLOW_ADDRESS}`,
	],
	unsent: ['{serviceMessage}', `${CHECK_LINK} {address} was not requested.`],
	'unsent.certificate': [
		"No secure connection to the video's host could be made ({httpCode})",
		`${CHECK_LINK} {address} was not requested.`,
	],
	cancelled: ['The execution was canceled', 'The download was stopped.'],
	notAnAddress: [
		'The address of the video is not a web address',
		'Get the video again with Video > Get Many, and download it with Video > Download.',
	],
	storageFailed: [
		'n8n could not store the video',
		'Check that n8n has enough storage for binary data, and that the file is not larger than n8n allows.',
		N8N_SAID,
	],
};

/** Of a download of the trigger, whose poll has an end. */
export const OUT_OF_TIME: FailureText = {
	message: 'The video was not downloaded within the time that n8n allows for a poll',
	description: 'Download it in the workflow with Video > Download, which has more time.',
};

/** The texts of these failures say by themselves what became of the video. */
const ENDS_OF_WAIT: FailureKind[] = ['notGenerated', 'timedOut', 'ambiguousVideo'];

const QUEUED =
	'The video is queued and paid for. To go on waiting for it, {orRetry}use Queue > Wait with its queue ID.';
const FINISHED = 'The video is finished and paid for. {howToDownload}';
const MAY_BE_QUEUED =
	'The video may have been queued and paid for, so the request is not sent again. Before you queue it again, check the credits in Account > Get, or look for a new video in Video > Get Many after a few minutes.';
const NAMED_ID =
	'The response names the queue ID "{receivedQueueId}", which Queue > Get Progress can check.';

/** Puts a failure into words: what happened, and what to do. The advice about the money comes first. */
export function describeFailure(failure: RequestFailure, context: FailureContext): FailureText {
	const { facts, kind } = failure;
	const { isQueued, mayBeQueued, notFound } = context;
	const slots = createSlots(facts, context);
	const [message, ...sentences] = findText(failure, context);
	// The service itself answers with JSON.
	const isOfService = !isDownload(facts) && facts.content !== 'html';
	if (notFound && isOfService && facts.httpCode === '404' && kind === 'rejected') {
		return { message: notFound.message, description: fill([notFound.description, SAID], slots) };
	}
	if (isQueued && !ENDS_OF_WAIT.includes(kind)) {
		sentences.unshift(isDownload(facts) ? FINISHED : QUEUED);
	}
	if (mayBeQueued && kind !== 'cancelled') {
		// With a wrong address, nothing can be checked before it is corrected.
		const at = facts.content === 'html' ? sentences.length : 0;
		sentences.splice(at, 0, MAY_BE_QUEUED, NAMED_ID);
	}
	return { message: fill([message], slots), description: fill(sentences, slots) };
}

function findText(
	failure: RequestFailure,
	{ mayBeQueued, requestKind }: FailureContext,
): [string, ...string[]] {
	const { facts, kind } = failure;
	const texts = isDownload(facts) ? HOST : SERVICE;
	const isCredits = texts === SERVICE && isAboutCredits(failure) && !mayBeQueued;
	const names = isCredits
		? [`credits.${requestKind}`, 'credits']
		: [`${kind}.${getVariant(facts, mayBeQueued)}`, `${kind}.${facts.httpCode}`, kind];
	return names.map((name) => texts[name]).find(Boolean) ?? [kind];
}

function isDownload({ address, addressField }: FailureFacts): boolean {
	return address !== undefined || addressField !== undefined;
}

function getVariant(facts: FailureFacts, mayBeQueued = false): string | undefined {
	const { httpCode = '', receivedBytes } = facts;
	const isTimeout = httpCode === 'ECONNABORTED' || httpCode === 'ETIMEDOUT';
	switch (facts.kind) {
		case 'uncertain':
			if (facts.isTooSlow === true) return 'tooSlow';
			if (/^\d/.test(httpCode)) return 'status';
			if (receivedBytes !== undefined) return isTimeout ? 'stopped' : 'midway';
			return isTimeout ? 'timeout' : undefined;
		case 'unreached':
			return facts.isProxied === true ? 'proxy' : undefined;
		case 'redirected':
			return facts.isTooMany === true ? 'tooMany' : undefined;
		case 'rejected':
			return { 404: 'gone', 410: 'gone', 401: 'denied', 403: 'denied' }[httpCode];
		case 'unsent':
			return httpCode === '' ? undefined : 'certificate';
		case 'unsuccessful':
			return mayBeQueued ? 'unconfirmed' : undefined;
		case 'timedOut':
			return facts.hasLeftQueue === true ? 'left' : undefined;
		case 'ambiguousVideo':
			return facts.isLogUnread === true ? 'unread' : facts.candidateCount ? undefined : 'none';
		default:
			return facts.content;
	}
}

type Slots = Record<string, unknown>;

/** The facts of a failure as the texts show them. */
function createSlots(facts: FailureFacts, context: FailureContext): Slots {
	const { httpCode = '', retryAfterMs = 0, tries = 1, candidateCount, budget } = facts;
	const { fields, isQueued, mayBeQueued, remainingCredits = facts.remainingCredits } = context;
	const { receivedBytes = 0, announcedBytes = receivedBytes, address = 'The address' } = facts;
	const subject = isDownload(facts) ? `${address} was requested` : 'The request was sent';
	const isLong = retryAfterMs > MAX_RETRY_AFTER_MS;
	const minutes = Math.ceil(retryAfterMs / 60_000);
	return {
		addressField: "'Video URL'",
		rateLimitAdvice:
			"Run the workflow less often or with fewer items at a time, or raise 'Max Tries' under 'Options'.",
		nextTry: 'Try again later.',
		certificateAdvice: "turn on 'Ignore SSL Issues (Insecure)' under 'Request Options'",
		...context,
		...facts,
		...budget,
		address,
		content: facts.content === 'html' ? 'a web page, not a video' : 'something that is not a video',
		amount: `${receivedBytes}${announcedBytes === receivedBytes ? '' : ` of ${announcedBytes}`} bytes`,
		whyUnreached: /^(ENOTFOUND|EAI_)/.test(httpCode)
			? 'its host name is unknown'
			: 'nothing accepts connections there',
		// When the video may have been queued, "try again later" would be wrong.
		sent:
			mayBeQueued || isLong ? undefined : `${subject} ${tries === 1 ? 'once' : `${tries} times`}.`,
		wait:
			mayBeQueued || !isLong
				? undefined
				: `It asks to try again in ${minutes} minutes, which is too long for a running workflow. ${context.nextTry ?? 'Run the workflow again after that.'}`,
		orRetry: context.canBeRetried ? 'retry this execution, or ' : '',
		howToDownload: context.canBeRetried
			? 'A retry of this execution only downloads it.'
			: 'To download it, use Video > Download.',
		// A wait that ends has sent its looks.
		nothingSent: isQueued || facts.lastStatus !== undefined ? undefined : 'Nothing was sent',
		notQueued:
			context.requestKind === 'add' && !isQueued && !mayBeQueued
				? 'No video was queued for this item.'
				: undefined,
		checkFields: fields ? `Check ${fields} of this item.` : `${OPEN} and test it.`,
		lastStatus: facts.lastStatus ?? 'unknown',
		remainingCredits,
		credits: remainingCredits === undefined ? undefined : count(remainingCredits, 'credit'),
		cost: budget && `${count(budget.videos, 'video')} in this run would cost ${budget.credits}`,
		candidates:
			candidateCount === 1
				? 'There is one video that it could be.'
				: `It could be any of ${candidateCount} videos.`,
	};
}

function count(number: number, noun: string): string {
	return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Joins the sentences, without those that lack a fact. */
function fill(sentences: string[], slots: Slots): string {
	const isComplete = (sentence: string) =>
		[...sentence.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => slots[name] !== undefined);
	return sentences
		.filter(isComplete)
		.map((sentence) => sentence.replace(/\{(\w+)\}/g, (_slot, name: string) => String(slots[name])))
		.join(' ');
}
