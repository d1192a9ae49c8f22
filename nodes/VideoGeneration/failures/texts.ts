import type {
	FailureKind,
	KnownFacts,
	OwnFacts,
	RequestFailure,
	SharedFacts,
	Unidentified,
} from './failure';
import { isAboutCredits, isNotFound, isUnread, MAX_RETRY_AFTER_MS } from './failure';

/** What happened, without words of the service, since n8n searches it for "canceled"; and what to do. */
export interface FailureText {
	message: string;
	description: string;
}

/** The facts that the texts need besides those of the failure. */
export interface FailureContext {
	/** Whether the video was added before the request that failed, or was seen in the queue. */
	isQueued?: boolean;
	queueId?: string | undefined;
	/** Whether the video may have been queued, although its queue ID is not known. */
	mayBeQueued?: boolean;
	isAgentCall?: boolean;
	/** Whether n8n offers to retry the execution: it has failed, and no agent has called the node. */
	canBeRetried?: boolean;
	/** The fields to check when the request is rejected, as displayed. */
	fields?: string;
	/** What to do after a failure that may pass, and after a rate limit. */
	nextTry?: string;
	rateLimitAdvice?: string;
	/** For a 404. */
	notFound?: FailureText;
	/** A trigger has no "Request Options". */
	isTrigger?: boolean;
}

const OPEN = 'Open the Video Generation API credential';
const WRONG_BASE_URL =
	"'Base URL' in the Video Generation API credential is probably wrong. Enter the address of the API, not the website.";
const TRY_LATER = '{sent} The {server} or the network is not working at the moment. {nextTry}';
const SAID = 'The service said: "{serviceMessage}".';
const TOO_LONG_TO_WAIT =
	'It asks to try again in {minutes} minutes, which is too long for a running workflow. {nextTry}';
const AGAIN = [TOO_LONG_TO_WAIT, TRY_LATER, SAID] as const;
const LAST_CHECK = 'The last check failed: "{serviceMessage}".';

const NEW_LINK =
	'The link in {addressField} may have expired: get a new one with Video > Get Many.';
const NOT_A_VIDEO = `{checkServer} ${NEW_LINK}` as const;

const TWO_CLOCKS =
	"If it is dated before its queue item, the service has two clocks: make the next videos with Queue > Add, followed by Queue > Wait without 'Queued At'.";

const NOT_FINISHED = 'The video was not finished within {waitedSeconds} seconds';
const WAIT_LONGER = `use Queue > Wait with the queue ID "{queueId}" and a longer 'Timeout'.`;
const NOT_IDENTIFIED = 'The video could not be identified, so it was not downloaded';

const TELL_APART =
	"To get each item its own video, make all videos of the project with Video > Generate, without 'Videos at Once' under 'Wait Options'; on several workers of n8n, in one workflow that the others call. If the service lists its videos late, raise 'Listing Delay'.";

const KEY = ['The key is "{uniqueKey}".', '{nothingSent} for this item.'] as const;
const ANOTHER_KEY =
	"To queue it again on purpose, give this item another 'Unique Key', such as a new ID.";

type Text = readonly [message: string, ...sentences: string[]];

/** The names of the slots in a sentence. */
type SlotsIn<Sentence> = Sentence extends `${string}{${infer Slot}}${infer Rest}`
	? Slot | SlotsIn<Rest>
	: never;

/** The kind of a row, whose name may have a variant, and begin with `host`. */
type KindOf<Name> = Name extends `host.${infer OfHost}`
	? KindOf<OfHost>
	: Name extends `${infer Kind}.${string}`
		? Kind
		: Name;

/** The slots that a failure of a kind can fill. */
type SlotsOf<Kind> =
	| keyof (SharedFacts & FailureContext & ReturnType<typeof createSlots>)
	| (Kind extends keyof OwnFacts ? keyof OwnFacts[Kind] : never);

/** Does not compile with a slot that no failure of its kind fills: its sentence would be left out without a word. */
function checkSlots<const Texts extends Record<string, Text>>(
	texts: Texts & {
		[Name in keyof Texts]: SlotsIn<Texts[Name][number]> extends SlotsOf<KindOf<Name>>
			? Text
			: never;
	},
): Record<string, Text> {
	return texts;
}

/**
 * What happened, and then what to do, for every kind of failure, where needed with a variant (see `getVariant`), and of a
 * video's host. A `{slot}` is a fact or one of `createSlots`. A sentence that lacks one is left out.
 */
export const TEXTS = checkSlots({
	rateLimited: [
		'The {server} is receiving too many requests',
		TOO_LONG_TO_WAIT,
		'{sent} {rateLimitAdvice}',
		SAID,
	],
	unreached: [
		'The {server} could not be reached: {whyUnreached}',
		"The address {loopback} is n8n's own machine or, in Docker, its own container. For a service outside of it, enter host.docker.internal instead.",
		'{checkServer}',
		'If {proxyField} is set, check it as well.',
		'The {server} may be down. {nextTry}',
		'{nothingSent} ({httpCode}).',
	],
	uncertain: ['The connection to the {server} broke before its response was complete', ...AGAIN],
	'uncertain.ETIMEDOUT': ['The {server} did not answer in time', ...AGAIN],
	'uncertain.status': ['The {server} failed to process the request ({httpCode})', ...AGAIN],
	'host.redirected': ["The video's address redirects to no address that can be opened", NEW_LINK],
	redirected: [
		"The video service's address redirects to another one",
		'It redirects to "{location}".',
		`To protect the API key, the redirect was not followed. If you trust the new address, open the Video Generation API credential and set 'Base URL' to its part before '/v1'.`,
	],
	rejected: ['The video service rejected the request ({httpCode})', '{checkFields}', SAID],
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
	'rejected.page': [
		'A web page answered instead of the video service ({httpCode})',
		`A firewall or a login page in front of the service refused the request, so 'API Key' may be right. {checkServer} If it is right, ask those who run the service or your network to let n8n through.`,
	],
	'rejected.unsigned': [
		'The video service, or something in front of it, refused the request ({httpCode})',
		`${OPEN}, paste 'API Key' again and test it. If it is right, a firewall or a login page may keep n8n out: ask those who run the service or your network.`,
		SAID,
	],
	'rejected.407': [
		'A proxy refused the request: it wants a name and a password (407)',
		'If {proxyField} is set, enter it as http://name:password@proxy.example.com:3128.',
		'A proxy that n8n itself uses is set by your n8n administrator.',
		'{nothingSent}.',
	],
	'rejected.404': ['This address does not exist on the video service', '{checkServer}', SAID],
	'host.rejected': [
		"The video's host does not allow the download ({httpCode})",
		`{checkServer} ${NEW_LINK} The API key is not sent to the video's host.`,
		'{sent}',
	],
	'host.rejected.404': ['There is no video at this address (404)', NEW_LINK, '{sent}'],
	unreadable: ['The response from the video service is not JSON', WRONG_BASE_URL],
	'unreadable.html': ['A web page answered instead of the video service', WRONG_BASE_URL],
	'unreadable.empty': ['The video service sent an empty response', TRY_LATER, '{checkServer}'],
	'unreadable.tooLong': [
		'The response from the video service is too long',
		`It was not read, since it has more than 4 MB (of projects 64 MB, of videos 256 MB), or 10 million values, for which n8n would stand still. {checkServer} If it is right, delete old videos at the service.`,
	],
	'unreadable.cutOff': ['The response from the video service was cut off', TRY_LATER],
	'host.unreadable': ['The address returned something that is not a video', NOT_A_VIDEO, '{sent}'],
	'host.unreadable.html': ['The address returned a web page, not a video', NOT_A_VIDEO, '{sent}'],
	'host.unreadable.empty': ['The address returned an empty file', NOT_A_VIDEO, '{sent}'],
	unsuccessful: ['The video service did not confirm the request', '{checkFields}', SAID],
	incomplete: [
		"The response from the video service has no '{field}'",
		`The service reported success, but its response does not match its specification. {checkServer}`,
	],
	blocked: [
		'n8n blocks requests to the {server}',
		'The SSRF protection of n8n blocks its address, or where it redirects to: a private network, or this host. {checkServer} If the address is right, ask your n8n administrator to allow it in N8N_SSRF_ALLOWED_HOSTNAMES or N8N_SSRF_ALLOWED_IP_RANGES.',
		'{nothingSent}.',
	],
	badCredential: ['{problem}', '{whatToDo}', '{nothingSent}.'],
	unsent: ['{serviceMessage}', '{checkServer}', '{nothingSent}.'],
	'unsent.EPROTO': [
		'The {server} does not speak HTTPS at this address',
		'{checkServer} If it has no HTTPS, its address begins with http://, not https://.',
		'{nothingSent} ({httpCode}).',
	],
	'unsent.certificate': [
		'No secure connection to the {server} could be made ({httpCode})',
		`{checkServer} If it uses a private certificate, have n8n trust it with NODE_EXTRA_CA_CERTS. The Video Generation node can also ignore it, with 'Ignore SSL Issues (Insecure)' under 'Request Options' in its settings.`,
		'{nothingSent}.',
	],
	notAnAddress: [
		'The address of the video is not a web address',
		'Get the video again with Video > Get Many, and download it with Video > Download.',
	],
	storageFailed: [
		'n8n could not store the video',
		'Check that n8n has enough storage for binary data, and that the file is not larger than n8n allows.',
		'n8n said: "{serviceMessage}".',
	],
	cancelled: ['The execution was canceled', 'Nothing more was sent.'],
	notGenerated: [
		'The video could not be generated',
		`The service stopped without making a video: the status is "{lastStatus}", which is one of 'Failed Statuses' under 'Wait Options'. Its queue ID is "{queueId}". Correct the project or the prompt before you queue it again, which costs credits again. Account > Get shows whether this one was refunded.`,
		SAID,
	],
	ambiguousVideo: [
		NOT_IDENTIFIED,
		`The queue item "{queueId}" is finished. Its video may be {candidates}. Find it in Video > Get Many, and download it with Video > Download. ${TELL_APART}`,
	],
	'ambiguousVideo.none': [
		NOT_IDENTIFIED,
		`The queue item "{queueId}" is finished, and the list of videos did not show its video. Look for it in Video > Get Many in a few minutes, and download it with Video > Download. If videos appear there later than 'Listing Delay' under 'Wait Options', raise it.`,
		TWO_CLOCKS,
	],
	'ambiguousVideo.unread': [
		NOT_IDENTIFIED,
		'The queue item "{queueId}" is finished, and the list of videos could not be read. To go on without paying again, {orRetry}use Queue > Wait with this queue ID.',
	],
	timedOut: [
		NOT_FINISHED,
		`To go on without paying again, {orRetrySaved}${WAIT_LONGER} The video may still be in progress.`,
		'Its status was "{lastStatus}" for {statusSeconds} seconds.',
		`If the service shows the video as finished, "{lastStatus}" means that: first add it to 'Completed Statuses' under 'Wait Options'.`,
		LAST_CHECK,
	],
	'timedOut.pending': [
		NOT_FINISHED,
		`To go on without paying again, {orRetry}${WAIT_LONGER} The video is still being made. Its last status was "{lastStatus}".`,
		LAST_CHECK,
	],
	leftQueue: [
		'The queue item is no longer in the queue, and no new video appeared',
		'It was deleted or is finished. Its queue ID is "{queueId}". Its last status was "{lastStatus}". Look for the video in Video > Get Many.',
	],
	credits: [
		'There are not enough credits',
		'Add credits to the account, or choose a project that costs less, and try again.',
		SAID,
	],
	overBudget: [
		'There are not enough credits to queue this video',
		"The credits of the account are {remainingCredits}. The video would cost {cost}, and 'Credits to Keep' is {creditsToKeep}. Nothing was queued for this item. Add credits, choose a project that costs less, or lower 'Credits to Keep' under 'Options'.",
	],
	creditsUnknown: [
		"The account's credits could not be read, so nothing was queued",
		"'Credits to Keep' needs this number. {reason}",
	],
	outOfTime: [
		"The workflow's timeout would end before this video is finished",
		"Only {leftSeconds} seconds are left, and a video of this project sometimes takes {usualSeconds}. Nothing was queued for this item, and no credit was spent. Set a longer 'Timeout Workflow' in the workflow's settings, or run it again with fewer items. A parent workflow, or n8n itself (EXECUTIONS_TIMEOUT, EXECUTIONS_TIMEOUT_MAX), may have a shorter one.",
	],
	tooManyVideos: [
		"This node has queued as many videos as 'Max Videos' allows",
		"'Max Videos' under 'Options' is {maxVideos} for one execution. Nothing was queued for this item, and no credit was spent.",
		'{howManyMore}',
	],
	keyUsed: [
		"The 'Unique Key' of this item was used, and its video was not returned",
		...KEY,
		'The video is being made in another execution, could not be generated or identified, or its execution broke off. Look for it under Executions and in Video > Get Many. Queue > Add waits for no video, so a key that it has used stays used.',
		ANOTHER_KEY,
	],
	keyDone: ["The video of this 'Unique Key' was returned before", ...KEY, '{inLoop}', ANOTHER_KEY],
	keyTwice: [
		"Another item of this run has the same 'Unique Key'",
		...KEY,
		"Check that 'Unique Key' has a value of its own for each row, such as its ID.",
	],
	keysUnavailable: [
		"n8n's record of the unique keys could not be used",
		"Nothing was sent for this item: without the record, its video could be queued twice. Check n8n's database, and run the item again.",
	],
});

/** For a download of the trigger, whose poll has an end. */
export const OUT_OF_TIME: FailureText = {
	message: 'The video was not downloaded within the time that n8n allows for a poll',
	description: 'Download it in the workflow with Video > Download, which has more time.',
};

/** The texts of these failures say by themselves what became of the video. */
const ENDS_OF_WAIT: FailureKind[] = ['notGenerated', 'timedOut', 'leftQueue', 'ambiguousVideo'];

const QUEUED =
	'The video is queued and paid for. To go on waiting for it, {orRetry}use Queue > Wait with its queue ID "{queueId}".';
const FINISHED =
	'The video is finished and paid for. To download it without paying again, {orRetry}use Video > Download. Its queue ID is "{queueId}".';
const NEVER_AGAIN =
	'The video may have been queued and paid for. Do not order it again, not in other words either: it may be paid for twice. Tell the user to check the credits in Account > Get, or to look for a new video in Video > Get Many after a few minutes.';
const SO_MAY_BE_QUEUED = ', so the video may have been queued';
const MAY_BE_QUEUED =
	'The video may have been queued and paid for, so the request is not sent again. Before you queue it again, check the credits in Account > Get, or look for a new video in Video > Get Many after a few minutes.';
const NAMED_ID =
	'The response names the queue ID "{receivedQueueId}", which Queue > Get Progress can check.';

/** Puts a failure into words: what happened, and what to do. The advice about the money comes first. */
export function describeFailure(failure: RequestFailure, context: FailureContext): FailureText {
	const { facts, kind } = failure;
	const known = { lastStatus: 'unknown', ...context, ...facts };
	// Some texts come from the service, or from an item.
	const plain = Object.entries(known).map(([name, value]) => {
		return [name, typeof value === 'string' ? toLine(value) : value] as const;
	});
	const slots = { ...Object.fromEntries(plain), ...createSlots(facts, context) };
	const [whatHappened, ...sentences] = findText(failure, context);
	if (context.isQueued && !ENDS_OF_WAIT.includes(kind)) {
		sentences.unshift(isDownload(facts) ? FINISHED : QUEUED);
	}
	if (facts.fate === 'refused') sentences.unshift('This video was not queued.');
	const isUncertain = context.mayBeQueued === true && kind !== 'cancelled';
	if (isUncertain) {
		// With a wrong address, nothing can be checked before it is corrected.
		const at = facts.content === 'html' ? sentences.length : 0;
		sentences.splice(at, 0, context.isAgentCall ? NEVER_AGAIN : MAY_BE_QUEUED, NAMED_ID);
	}
	// Some of n8n's agents pass on the message alone.
	const message = fill([whatHappened], slots) + (isUncertain ? SO_MAY_BE_QUEUED : '');
	return { message, description: fill(sentences, slots) };
}

/** The operation's own text for a 404 of the service, which answers with JSON, or else a row of the table. */
export function findText(failure: RequestFailure, { mayBeQueued, notFound }: FailureContext): Text {
	const { facts, kind } = failure;
	const isOfService = !isDownload(facts) && facts.content !== 'html';
	if (notFound && isOfService && isNotFound(failure)) {
		return [notFound.message, notFound.description, SAID];
	}
	const isCredits = isAboutCredits(failure) && !mayBeQueued;
	const names = [
		isCredits ? 'credits' : `${kind}.${getVariant(facts)}`,
		`${kind}.${facts.httpCode}`,
		kind,
	];
	// A proxy may refuse either.
	const isOfHost = isDownload(facts) && facts.httpCode !== '407';
	if (isOfHost) names.unshift(...names.map((name) => `host.${name}`));
	return names.map((name) => TEXTS[name]).find(Boolean) ?? [kind];
}

const isDownload = ({ addressField }: KnownFacts) => addressField !== undefined;

function getVariant(facts: KnownFacts): string | undefined {
	const { content, httpCode = '', kind, unidentified } = facts;
	if (kind === 'uncertain' && /^\d/.test(httpCode)) return 'status';
	if (kind === 'unsent' && httpCode !== '' && httpCode !== 'EPROTO') return 'certificate';
	if (isUnread(unidentified)) return 'unread';
	if (unidentified?.count === 0) return 'none';
	if (facts.isPending) return 'pending';
	const isDenied = kind === 'rejected' && /^40[13]$/.test(httpCode);
	if (isDenied && content !== undefined) return content === 'html' ? 'page' : 'unsigned';
	return content;
}

type Slots = Record<string, unknown>;

/** What the texts show besides the facts themselves, and instead of some. */
function createSlots(facts: KnownFacts, context: FailureContext) {
	const { cause, httpCode = '', retryAfterMs = 0, tries = 1, unidentified } = facts;
	const { fields, isAgentCall, isTrigger, mayBeQueued, nextTry } = context;
	const isOfHost = isDownload(facts);
	// n8n offers no retry of a stopped execution.
	const canBeRetried = context.canBeRetried === true && facts.kind !== 'cancelled';
	const offer = (way: string) => (canBeRetried ? `${way}, or ` : '');
	const isLong = retryAfterMs > MAX_RETRY_AFTER_MS;
	const sent = `The request was sent ${tries === 1 ? 'once' : `${tries} times`}.`;
	const checkService = `${OPEN}, check 'Base URL' and test it.`;
	const checkHost = `Check ${facts.addressField} of this item: ${toLine(facts.address ?? '')}.`;
	// A wait that ends has sent its looks, and a host may have redirected to an address that n8n blocks.
	const hasSent = isOfHost || context.isQueued === true || facts.lastStatus !== undefined;
	return {
		rateLimitAdvice:
			context.rateLimitAdvice ??
			nextTry ??
			"Run the workflow less often or with fewer items at a time, or raise 'Max Tries' under 'Options'.",
		nextTry: nextTry ?? (isLong ? 'Run the workflow again after that.' : 'Try again later.'),
		server: isOfHost ? "video's host" : 'video service',
		checkServer: isOfHost ? checkHost : checkService,
		checkFields: fields ? `Check ${fields} of this item.` : checkService,
		nothingSent: hasSent ? undefined : 'Nothing was sent',
		whyUnreached: explainUnreached(httpCode),
		// When the video may have been queued, "try again later" would be wrong.
		minutes: mayBeQueued || !isLong ? undefined : Math.ceil(retryAfterMs / 60_000),
		sent: mayBeQueued || isLong ? undefined : sent,
		orRetry: offer('retry this execution'),
		orRetrySaved: offer("select 'Retry with currently saved workflow' under Executions"),
		proxyField: isTrigger ? undefined : "'Proxy' under 'Request Options' in the node's settings",
		inLoop: isAgentCall
			? undefined
			: 'n8n ends a loop when a round has no output, so this item fails instead: connect the error output of this node with the loop, too.',
		howManyMore: isAgentCall
			? 'No further order will be taken, not in other words either: do not place it again, and tell the user so.'
			: 'To queue more, raise it, or run the workflow again with the items that are left.',
		candidates:
			unidentified && `${unidentified.count === 1 ? '' : 'one of '}${nameCandidates(unidentified)}`,
		reason: cause && Object.values(describeFailure(cause, {})).join('. '),
	};
}

function explainUnreached(httpCode: string): string {
	if (/^(ENOTFOUND|EAI_)/.test(httpCode)) return 'its host name is unknown';
	if (httpCode === 'ECONNRESET') return 'the connection was closed before it was secure';
	return 'nothing accepts connections there';
}

/** Joins the sentences, without those that lack a fact. */
function fill(sentences: readonly string[], slots: Slots): string {
	const isComplete = (sentence: string) =>
		[...sentence.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => slots[name] !== undefined);
	return sentences
		.filter(isComplete)
		.map((sentence) => sentence.replace(/\{(\w+)\}/g, (_slot, name: string) => String(slots[name])))
		.join(' ');
}

function nameCandidates({ count = 0, projectId }: Unidentified): string {
	const videos = count === 1 ? 'newest video' : `${count} newest videos`;
	return `the ${videos}${projectId === undefined ? '' : ` of project "${toLine(projectId)}"`}`;
}

/** How much of a text of the service is shown. */
export const MAX_SHOWN_LENGTH = 300;

/** How much of it is searched for markup. */
const MAX_SEARCHED_LENGTH = 4_096;

/** A text of others as one line without markup, which n8n's editor shows. A tag without an end may end in the text after it. */
export function toLine(text: string): string {
	const line = text
		.slice(0, MAX_SEARCHED_LENGTH)
		.replace(/<[^<>]*>/g, ' ')
		.replace(/<(?=[a-z/!?])/gi, '< ')
		.replace(/[\s\p{Cc}]+/gu, ' ')
		.trim();
	return line.length > MAX_SHOWN_LENGTH ? `${line.slice(0, MAX_SHOWN_LENGTH - 1)}…` : line;
}

const PAID = 'Already queued and paid for: {ids}. {howToGoOn}{again}';
const PAID_WITHOUT_RETRY = 'Queued and paid for, so do not queue it again: {ids}.';
const OTHERS = 'Other items that may have been queued and paid for, counted from 1: {items}.';

interface PaidVideos {
	paid: { queueId: string; status: string }[];
	/** Other items whose add has an unknown fate, with a queue ID that the response names. */
	unknown: { itemIndex: number; queueId: string | undefined }[];
	canBeRetried: boolean;
	/** Whether a retry would end on the same item again. */
	isLasting: boolean;
	/** Whether each has a unique key: a new run does not queue it again. */
	haveKeys: boolean;
}

/** The videos that a failed run has paid for: n8n drops the output of its other items. */
export function describePaidVideos(videos: PaidVideos): string {
	const { paid, unknown, canBeRetried, haveKeys, isLasting } = videos;
	const ids = paid.map(({ queueId, status }) =>
		toLine(status ? `${queueId} (${status})` : queueId),
	);
	// People count from 1, as n8n's output does.
	const items = unknown.map(({ itemIndex, queueId }) =>
		queueId === undefined
			? itemIndex + 1
			: `${itemIndex + 1} (its response names "${toLine(queueId)}")`,
	);
	return fill([canBeRetried ? PAID : PAID_WITHOUT_RETRY, OTHERS], {
		ids: ids.join(', ') || undefined,
		again: haveKeys ? '' : ' A new run queues them again.',
		items: items.join(', ') || undefined,
		howToGoOn: isLasting
			? "To get them without paying again, set 'On Error' in the node's settings to 'Continue', and select 'Retry with currently saved workflow' under Executions."
			: 'To go on without paying again, select Retry under Executions.',
	});
}

interface RunFacts {
	mayBeQueued: number;
	leftOut: number;
	unidentified: Unidentified[];
	/** Whether the list lacked a video that it had to show. */
	isListUnreliable: boolean;
}

const NOT_LISTED =
	"A video was missing in the list of videos: raise 'Listing Delay' under 'Wait Options', and check 'Project' and 'Queued At' if you set them.";

const HINTS = [
	'Videos that may have been queued and paid for, without their queue IDs: {mayBeQueued}. Before you queue them again, check the credits in Account > Get, or look for new videos in Video > Get Many after a few minutes.',
	'Videos that could not be told apart from others of their project: {several}. Look for them in Video > Get Many, among {names}. {advice}',
	'Videos that are finished, but were not in the list of videos, or it could not be read: {unlisted}. Look for them in Video > Get Many in a few minutes.{notListed}',
	"Items that were left out, because the video of their 'Unique Key' was returned before: {leftOut}. If a later node failed then, retry that execution under Executions. To make a video again, give the item another key.",
];

/** The hints under the output of a run, each with the number of its items; none where all went well. */
export function describeRun(facts: RunFacts): string[] {
	const { isListUnreliable, leftOut, mayBeQueued, unidentified } = facts;
	const several = unidentified.filter(({ count = 0 }) => count > 0);
	// A hint names five projects at most.
	const names = [...new Set(several.map(nameCandidates))].slice(0, 5).join('; ');
	const slots = {
		mayBeQueued: mayBeQueued || undefined,
		several: several.length || undefined,
		names,
		advice: isListUnreliable ? NOT_LISTED : TELL_APART,
		unlisted: unidentified.length - several.length || undefined,
		notListed: isListUnreliable ? ` ${NOT_LISTED} ${TWO_CLOCKS}` : '',
		leftOut: leftOut || undefined,
	};
	return HINTS.map((hint) => fill([hint], slots)).filter((text) => text !== '');
}
