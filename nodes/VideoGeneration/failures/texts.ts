import type {
	FailureFacts,
	FailureKind,
	RequestFailure,
	RequestKind,
	Unidentified,
} from './failure';
import { isAboutCredits, MAX_RETRY_AFTER_MS } from './failure';

/** The text that a user sees for a failure. */
export interface FailureText {
	/** What happened. n8n searches it for "canceled", so it never quotes the service. */
	message: string;
	/** What to do next, and what the service said. */
	description: string;
}

/** The facts that the texts need besides the failure. */
export interface FailureContext {
	requestKind: RequestKind;
	/** Whether the video is queued: it was added before the request that failed, or was seen in the queue. */
	isQueued?: boolean;
	/** Whether the video may have been queued, although its queue ID is not known. */
	mayBeQueued?: boolean;
	/** The account's credits, where they are known. */
	remainingCredits?: number | undefined;
	/** Whether an agent's model reads the text. */
	isAgentCall?: boolean;
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

/** Advice for videos of a project that finish close together. */
const TELL_APART =
	"To get each item its own video, make all videos of the project with Video > Generate, and leave 'Videos at Once' under 'Wait Options' at 1. If the service lists its videos late, raise 'Listing Delay'.";

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
		`It may be {candidates}. Find it in Video > Get Many, and download it with Video > Download. {tellApart}`,
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
	'timedOut.otherStatus': [
		'The video was not finished within {waitedSeconds} seconds',
		`Its status was "{lastStatus}" for {statusSeconds} seconds. If this means that the video is finished, add the word to 'Completed Statuses' under 'Wait Options'{retryPaysNothing}. If it is still being made, use Queue > Wait with this queue ID, or set a longer 'Timeout'.`,
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
		"The account has {credits}. The video would cost {cost}, and 'Credits to Keep' is {keep}. Nothing was queued for this item. Add credits, choose a project that costs less, or lower 'Credits to Keep' under 'Options'.",
	],
	creditsUnknown: [
		"The account's credits could not be read, so nothing was queued",
		"'Credits to Keep' needs this number. {reason}",
	],
	keyUsed: [
		'A video was already queued for this key, or may have been',
		`The key is "{uniqueKey}". Nothing was sent for this item. Look for the video in Video > Get Many. To queue it again on purpose, give this item another 'Unique Key', such as a new ID.`,
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
const NEVER_AGAIN =
	'The video may have been queued and paid for. Do not order it again, not in other words either: it may be paid for twice. Tell the user to check the credits in Account > Get, or to look for a new video in Video > Get Many after a few minutes.';
const MAY_BE_QUEUED =
	'The video may have been queued and paid for, so the request is not sent again. Before you queue it again, check the credits in Account > Get, or look for a new video in Video > Get Many after a few minutes.';
const NAMED_ID =
	'The response names the queue ID "{receivedQueueId}", which Queue > Get Progress can check.';

const NAMED_ITEM = 'The response names a queue item: {namingText}';

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
		const whatToDo = context.isAgentCall ? NEVER_AGAIN : MAY_BE_QUEUED;
		sentences.splice(at, 0, whatToDo, NAMED_ID, NAMED_ITEM);
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
			if (facts.hasLeftQueue === true) return 'left';
			return facts.statusSeconds === undefined ? undefined : 'otherStatus';
		case 'ambiguousVideo':
			if (facts.unidentified?.count === undefined) return 'unread';
			return facts.unidentified.count === 0 ? 'none' : undefined;
		default:
			return facts.content;
	}
}

type Slots = Record<string, unknown>;

/** The facts of a failure as the texts show them. */
function createSlots(facts: FailureFacts, context: FailureContext): Slots {
	const { httpCode = '', retryAfterMs = 0, tries = 1, cause, unidentified } = facts;
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
		candidates:
			unidentified &&
			`${unidentified.count === 1 ? 'this one: ' : 'any of '}${nameCandidates(unidentified)}`,
		tellApart: nameUnconfirmed(unidentified?.unconfirmedItems) ?? TELL_APART,
		retryPaysNothing: context.canBeRetried
			? ', and select Retry under Executions, which pays nothing again'
			: '',
		reason: cause && joinTexts(describeFailure(cause, { requestKind: 'read' })),
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

function joinTexts({ message, description }: FailureText): string {
	return `${message}. ${description}`;
}

function nameCandidates({ count: number = 0, projectId, from, to }: Unidentified): string {
	const ofProject = projectId === undefined ? '' : ` of project "${projectId}"`;
	const dates = from === to ? `at ${from}` : `from ${from} to ${to}`;
	return `${count(number, 'video')}${ofProject}${from === undefined ? '' : `, listed ${dates}`}`;
}

/** Another item's video may be listed as well. */
function nameUnconfirmed(items: number[] = []): string | undefined {
	if (items.length === 0) return undefined;
	return items.length === 1
		? `One of them may be the video of ${nameItems(items)}, whose add was not confirmed.`
		: `Some of them may be the videos of ${nameItems(items)}, whose adds were not confirmed.`;
}

/** Maximum number of items that a text names. */
const MAX_ITEMS = 20;

/** Items as n8n counts them, from 0. */
function nameItems(items: number[]): string {
	const more = items.length > MAX_ITEMS ? ` and ${items.length - MAX_ITEMS} more` : '';
	return `${items.length === 1 ? 'item' : 'items'} ${items.slice(0, MAX_ITEMS).join(', ')}${more}`;
}

/** The videos that a failed run has paid for: n8n drops the output of its other items. */
interface PaidVideos {
	paid: { queueId: string; status: string }[];
	/** Other items whose add has an unknown fate, with a queue ID that the response names. */
	unknown: { itemIndex: number; queueId: string | undefined }[];
	canBeRetried: boolean;
	/** Whether a retry would end on the same item again. */
	needsContinue: boolean;
}

export function describePaidVideos({
	paid,
	unknown,
	canBeRetried,
	needsContinue,
}: PaidVideos): string {
	const ids = paid.map(({ queueId, status }) => (status ? `${queueId} (${status})` : queueId));
	const items = unknown.map(({ itemIndex, queueId }) =>
		queueId === undefined
			? `item ${itemIndex}`
			: `item ${itemIndex}, whose response names "${queueId}"`,
	);
	const lead = canBeRetried
		? 'Already queued and paid for. To go on without paying again, select Retry under Executions; a new run queues them again:'
		: 'Queued and paid for, so do not queue it again:';
	return [
		paid.length > 0 && `${lead} ${ids.join(', ')}.`,
		needsContinue &&
			"To get the other items' videos, set 'On Error' in the node's settings to 'Continue', and retry the execution with the currently saved workflow.",
		unknown.length > 0 &&
			`Other items that may have been queued and paid for: ${items.join(', ')}.`,
	]
		.filter(Boolean)
		.join(' ');
}

/** The facts for the hints after a run. */
interface RunFacts {
	isAdd: boolean;
	/** The number of adds of unknown fate. */
	mayBeQueued: number;
	/** The items that were made with the project's own prompt, although an expression is set. */
	ownPrompts: number[];
	/** The items whose prompt seems to lack a value. */
	doubtfulPrompts: number[];
	/** Why items have no video. */
	unidentified: Unidentified[];
	/** Whether the list lacked a video that it had to show. */
	isListUnreliable: boolean;
	/** How long the items waited for other executions, added up. */
	waitedSeconds: number;
}

/** A shorter wait for other executions is not worth a hint. */
const MIN_WAITED_SECONDS = 30;

/** The hints under the output of a run; none where all went well. */
export function describeRun(facts: RunFacts): { type: 'info' | 'warning'; message: string }[] {
	const { doubtfulPrompts, isAdd, isListUnreliable, mayBeQueued, ownPrompts } = facts;
	const { unidentified, waitedSeconds } = facts;
	const unlisted = isListUnreliable ? [] : unidentified.filter(({ count = 0 }) => count === 0);
	const ambiguous = unidentified.filter((each) => !unlisted.includes(each));
	const warnings: string[] = [];
	if (ownPrompts.length > 0) warnings.push(fillCount(OWN_PROMPT_HINT, ownPrompts));
	if (doubtfulPrompts.length > 0) warnings.push(fillCount(DOUBTFUL_HINT, doubtfulPrompts));
	if (mayBeQueued > 0) warnings.push(fillCount(MAYBE_QUEUED_HINT, mayBeQueued));
	if (ambiguous.length > 0) {
		const unconfirmed = nameUnconfirmed(ambiguous.flatMap((each) => each.unconfirmedItems ?? []));
		const whatToDo = isListUnreliable
			? NOT_LISTED
			: (unconfirmed ?? (isAdd ? TELL_APART : CHECK_WAIT));
		const listed = ambiguous.filter(({ count = 0 }) => count > 0);
		const names = [...new Set(listed.map(nameCandidates))].slice(0, MAX_NAMED).join('; ');
		const lead = fillCount(AMBIGUOUS_HINT, ambiguous.length);
		warnings.push(`${lead}${names && `, among ${names}`}. ${whatToDo}`);
	}
	if (unlisted.length > 0) warnings.push(fillCount(UNLISTED_HINT, unlisted.length));
	const hints = warnings.map((message) => ({ type: 'warning' as const, message }));
	if (waitedSeconds < MIN_WAITED_SECONDS) return hints;
	const message = `The items waited ${waitedSeconds} seconds in all for other executions: the videos of one project are made one after the other.`;
	return [...hints, { type: 'info' as const, message }];
}

/** Maximum number of projects that a hint names. */
const MAX_NAMED = 5;

/** A text for one, and for several. */
type CountedText = [one: string, several: string];

const OWN_PROMPT_HINT: CountedText = [
	"1 video was made with the project's own prompt, since the expression of 'Custom Prompt' had no value: {items}.",
	"{count} videos were made with the project's own prompt, since the expression of 'Custom Prompt' had no value: {items}.",
];
const DOUBTFUL_HINT: CountedText = [
	"1 prompt seems to lack a value: it holds 'undefined', 'null' or '[object Object]', or nothing for a field: {items}. Check the names of the fields in 'Custom Prompt'.",
	"{count} prompts seem to lack a value: they hold 'undefined', 'null' or '[object Object]', or nothing for a field: {items}. Check the names of the fields in 'Custom Prompt'.",
];
const MAYBE_QUEUED_HINT: CountedText = [
	'1 video may have been queued and paid for, but its queue ID did not arrive. Before you queue it again, check the credits in Account > Get, or look for new videos in Video > Get Many after a few minutes.',
	'{count} videos may have been queued and paid for, but their queue IDs did not arrive. Before you queue them again, check the credits in Account > Get, or look for new videos in Video > Get Many after a few minutes.',
];
const AMBIGUOUS_HINT: CountedText = [
	'1 video could not be told apart from others of its project. Look for it in Video > Get Many',
	'{count} videos could not be told apart from others of their project. Look for them in Video > Get Many',
];
const UNLISTED_HINT: CountedText = [
	'1 video is finished, but the list of videos did not show it, or could not be read. Look for it in Video > Get Many in a few minutes.',
	'{count} videos are finished, but the list of videos did not show them, or could not be read. Look for them in Video > Get Many in a few minutes.',
];

/** Advice if a video was missing in the list, or if items were queued elsewhere. */
const NOT_LISTED =
	"A video was missing in the list of videos: raise 'Listing Delay' under 'Wait Options', and check 'Project' and 'Queued At' if you set them.";
const CHECK_WAIT =
	"Set 'Project' and 'Queued At' to the 'projectId' and 'createdAt' that Queue > Add returned.";

/** @param of their number, or the items */
function fillCount([one, several]: CountedText, of: number | number[]): string {
	const [number, items] = typeof of === 'number' ? [of, ''] : [of.length, nameItems(of)];
	const text = number === 1 ? one : several;
	return text.replace('{count}', String(number)).replace('{items}', items);
}
