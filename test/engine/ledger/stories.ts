import fc from 'fast-check';
import { ETAGS } from '../../../sandbox/domain/settings';
import type { FaultSpec } from '../../../sandbox/faults/FaultSpec';
import { provesRefusal } from './fates';
import { NOT_A_NUMBER } from './parameters';
import type { N8nTrouble, SocketError, SocketTrouble, StoryRetry } from './Story';
import type { KeyExpression, StoryEntry, StoryKeyStore, StoryStranger, StoryValue } from './Story';
import type { Story, StoryExecution, StoryItem, StoryService, StoryVideo } from './Story';
import { EMPTY_KEY_STORE } from './Story';
import type { ReadTrouble } from './troubles';
import { ADD_FAULTS, FILE_TROUBLES, READ_TROUBLES } from './troubles';

/** The topic of a story; each theme has its share of the stories, and its own test file. */
export type Theme = 'adds' | 'clears' | 'waits' | 'agents' | 'keys';

/*
 * What the stories do not show, because nothing here plays it:
 * - A network that is really cut. Socket errors are simulated: this process destroys its own socket
 *   with the error that Linux would report, at a moment of its choice. Packets that are lost and
 *   arrive later, half-open connections and real timeouts of the kernel are not among them.
 * - A proxy between n8n and the service, HTTP/2, and redirects that n8n follows.
 * - A certificate that was issued for another name, has expired or was withdrawn: the only bad
 *   certificate here is one that nobody trusts. A client's own certificate.
 * - A service that refuses an add by its response and has accepted it all the same.
 * - An execution that runs on another worker: a retry runs in the same process, with copies of all
 *   data, so memory of a module by names and numbers alone would survive. Only after a kill, the package
 *   is loaded anew.
 * - The retry of an execution that was stopped, the retry of an older one of a chain, two retries at
 *   the same time, and a retry of an agent's execution, whose calls are new orders.
 * - A workflow whose items, operation or account were changed before a retry.
 * - Sub-workflows, Loop Over Items, and more than three executions.
 * - Ids that are neither text without escapes nor digits, and bodies in other encodings than UTF-8 and
 *   UTF-16.
 */

/** The words that mean a failed or a finished generation by default, as documented. */
const FAILED_WORDS = [
	...['failed', 'failure', 'error', 'errored', 'rejected', 'expired', 'aborted'],
	...['cancelled', 'canceled', 'CANCELED'],
];
const COMPLETED_WORDS = [
	...['completed', 'complete', 'done', 'finished', 'success', 'succeeded', 'ready', 'Completed'],
];

/*
 * Every story shrinks to the plain one: one item, the usual settings, and no trouble.
 */

/** Generates `other` in one of `cases` cases, and `usual` in the others. */
function onceIn<T>(cases: number, usual: T, other: fc.Arbitrary<T>): fc.Arbitrary<T> {
	return fc.oneof(
		{ withCrossShrink: true },
		{ weight: cases - 1, arbitrary: fc.constant(usual) },
		{ weight: 1, arbitrary: other },
	);
}

function oneOf<T>(...values: T[]): fc.Arbitrary<T> {
	return fc.constantFrom(...values);
}

const isOnceIn = (cases: number) => onceIn(cases, false, fc.constant(true));

/** Generates times in steps of a tenth of a second. */
const milliseconds = (min: number, max: number) =>
	fc.integer({ min: min / 100, max: max / 100 }).map((tenths) => tenths * 100);

type ListingDelay = StoryExecution['waitOptions']['listingDelay'];

type PromptKind = 'own' | 'same' | 'number' | 'none' | 'true' | 'list';

/*
 * Blind spots of the keys: two processes at once, whose records n8n does not keep apart; a database that
 * has carried out a call whose answer is lost, and one that returns to an older state; a node that is
 * copied or replaced between two executions; keys that differ by more than spaces around them; more
 * than one node with keys; a kill while n8n itself writes, and executions of which n8n has saved a part.
 */
const key = onceIn<StoryValue>(
	3,
	'own',
	oneOf<StoryValue>('row 1', 'row 1 ', 'row 2', 7, '7', 0, '', '  ', null, [], true),
);
const UNUSABLE: StoryValue[] = ['', ' ', null, 'abc', NOT_A_NUMBER, 'Infinity', -1, '-0.5'];
const keep = onceIn<StoryValue>(5, 2, oneOf<StoryValue>(0, '3', 1.5, 997, '998', ...UNUSABLE));
const cost = onceIn<StoryValue>(10, 1, oneOf<StoryValue>(2, '3', 1.5, 0.5, 0, '0', ...UNUSABLE));

const itemSeed = fc.record({
	account: isOnceIn(6),
	project: fc.integer({ min: 0, max: 2 }),
	prompt: onceIn<PromptKind>(3, 'own', oneOf('number', 'same', 'same', 'none', 'true', 'list')),
	overwriteSettings: onceIn<StoryItem['overwriteSettings']>(
		2,
		false,
		oneOf<boolean | string | number>(true, true, 'true', 'TRUE', 1, 'false', 0, '', 'perhaps'),
	),
	address: onceIn<StoryItem['address']>(
		14,
		'service',
		oneOf<StoryItem['address']>('closedPort', 'untrusted', 'plainText'),
	),
	...{ key, keep, cost },
});

const keyExpression = onceIn<KeyExpression>(
	6,
	'$json.key',
	oneOf<KeyExpression>('$json.key-b', 'Math.random()'),
);

const keySettings = fc.record({
	uniqueKey: onceIn<KeyExpression | null>(10, '$json.key', fc.option(keyExpression)),
	creditsToKeep: onceIn<StoryExecution['creditsToKeep']>(
		2,
		null,
		oneOf<StoryExecution['creditsToKeep']>('$json.keep', '$json.keep', 2),
	),
	creditsPerVideo: onceIn<StoryExecution['creditsPerVideo']>(4, null, fc.constant('$json.cost')),
	killedAfterMs: onceIn<number | null>(
		3,
		null,
		fc.oneof(milliseconds(0, 3_000), milliseconds(0, 25_000)),
	),
});

const keyStore: fc.Arbitrary<StoryKeyStore> = fc.record({
	failingCalls: onceIn<number[]>(
		3,
		[],
		fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 }),
	),
	delayMs: onceIn(2, 0, oneOf(100, 700, 4_000)),
	keys: onceIn(12, 0, oneOf(9_997, 9_999, 10_000)),
});

const promptEnd = oneOf<StoryExecution['promptEnd']>('', '', '', '$now', 'Math.random()');
const maxTries = onceIn<number | null>(3, null, oneOf(1, 2, 6));
const tries = oneOf<StoryExecution['tries']>(1, 1, 2, 3, 5);

const retry: fc.Arbitrary<StoryRetry> = fc.record({
	afterMs: milliseconds(0, 60_000),
	change: onceIn<StoryRetry['change']>(
		3,
		null,
		fc.record({ promptEnd, maxTries, tries, uniqueKey: keyExpression }),
	),
});

const executionSeed = fc.record({
	isLoop: isOnceIn(6),
	protocol: onceIn<StoryExecution['protocol']>(5, 'http', fc.constant('https')),
	retries: onceIn<StoryRetry[]>(2, [], fc.array(retry, { minLength: 1, maxLength: 3 })),
	itemSeeds: fc.array(itemSeed, { minLength: 1, maxLength: 8, size: 'max' }),
	projects: fc.integer({ min: 1, max: 3 }),
	callsAtOnce: fc.integer({ min: 1, max: 3 }),
	promptEnd,
	waitSwitch: oneOf<StoryExecution['waitSwitch']>(true, true, true, 'true', 'TRUE', 1),
	waitOptions: onceIn<StoryExecution['waitOptions']>(
		8,
		{ pollingInterval: 5, timeout: 60 },
		oneOf<StoryExecution['waitOptions']>({}, { pollingInterval: 20, timeout: 300 }),
	),
	shortWait: onceIn<StoryExecution['waitOptions'] | null>(
		2,
		null,
		oneOf<StoryExecution['waitOptions'] | null>(
			{ pollingInterval: 3, timeout: 30 },
			{ pollingInterval: '2', timeout: '45' },
			{ pollingInterval: 1, timeout: 20 },
			{ pollingInterval: 2.5, timeout: 40 },
			{ timeout: 90 },
		),
	),
	listingDelay: onceIn<ListingDelay>(3, undefined, oneOf<ListingDelay>(0, 5, '15', 20)),
	startsAfterMs: onceIn<number | null>(2, null, fc.oneof(fc.constant(0), milliseconds(0, 60_000))),
	downloadVideo: isOnceIn(4),
	waitKnowsProject: onceIn(6, true, fc.constant(false)),
	onError: oneOf<StoryExecution['onError']>(
		'stopWorkflow',
		'continueRegularOutput',
		'continueErrorOutput',
	),
	tries,
	executeOnce: isOnceIn(16),
	creditsToKeep: onceIn<StoryExecution['creditsToKeep']>(6, null, oneOf(0, 2, 997)),
	batchSize: onceIn<StoryExecution['batchSize']>(6, 0, oneOf<number | string>(1, 2, 3, '2')),
	batchIntervalMs: oneOf(0, 700, 5_000),
	requestTimeout: onceIn<StoryExecution['requestTimeout']>(
		8,
		null,
		oneOf<number | string>(30_000, '30000', 45_000.5, '60000'),
	),
	maxTries,
});

/** Most stories have few requests of a kind: their troubles come early. */
const nth = fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 9 }));
const uniqueNth = { selector: (trouble: { nth: number }) => trouble.nth };

/** The path of an add, at another address. */
const SAME_PATH = 'http://127.0.0.1:9/v1/queue/add';

/** Statuses that look like refusals, and may follow an add that was accepted. */
const AMBIGUOUS_STATUSES = [303, 407, 408, 409, 412, 423, 424, 425, 499];

/**
 * Every status but the good ones. The service has accepted what it answers only where the response
 * does not say the opposite: nobody can pay once for an add that is refused and accepted.
 */
const badStatus: fc.Arbitrary<FaultSpec> = fc
	.record({
		status: fc.oneof(
			fc.integer({ min: 300, max: 308 }),
			oneOf(...AMBIGUOUS_STATUSES),
			fc.integer({ min: 300, max: 599 }),
		),
		isAfter: fc.boolean(),
		location: oneOf<string | undefined>(
			...[undefined, undefined, '/login', 'http://127.0.0.1:9/elsewhere', SAME_PATH, SAME_PATH],
		),
		body: oneOf<string | undefined>(undefined, undefined, '', 'Conflict', '<html>Try again</html>'),
	})
	.map(({ status, isAfter, location, body }) => {
		const isRefusal =
			provesRefusal(status) || ([301, 302].includes(status) && location === SAME_PATH);
		return {
			...{ kind: 'status', status, phase: isAfter && !isRefusal ? 'after' : 'before' },
			...(body !== undefined && { body }),
			...(location !== undefined && { headers: { location } }),
		};
	});

/** Longer than any response to an add, so that cuts reach every byte of it, and none. */
const MAX_BODY_BYTES = 330;

const bodyBytes = fc.integer({ min: 0, max: MAX_BODY_BYTES });

const cutOff: fc.Arbitrary<FaultSpec> = fc.record({
	kind: fc.constant('cutOff' as const),
	keepBytes: bodyBytes,
	ending: oneOf('length' as const, 'chunked' as const, 'break' as const, 'breakChunked' as const),
});

const brokenTls: fc.Arbitrary<FaultSpec> = fc.record(
	{
		kind: fc.constant('brokenTls' as const),
		part: oneOf('plainText' as const, 'damagedRecord' as const, 'alert' as const),
		keepBytes: bodyBytes,
	},
	{ requiredKeys: ['kind', 'part'] },
);

const oddText: fc.Arbitrary<FaultSpec> = oneOf<FaultSpec>(
	{ kind: 'textBefore' },
	{ kind: 'textBefore', text: '\n\n' },
	{ kind: 'textBefore', text: 'Deprecated: {"queueId":"none"} ' },
	{ kind: 'encoding', as: 'utf-8', byteOrderMark: true },
	...(['utf-16le', 'utf-16be'] as const).flatMap((as): FaultSpec[] => [
		{ kind: 'encoding', as },
		{ kind: 'encoding', as, byteOrderMark: true },
		{ kind: 'encoding', as, byteOrderMark: true, declared: false },
	]),
);

const addFault = fc.oneof(
	{ weight: 3, arbitrary: oneOf(...ADD_FAULTS) },
	{ weight: 3, arbitrary: badStatus },
	{ weight: 2, arbitrary: cutOff },
	{ weight: 1, arbitrary: brokenTls },
	{ weight: 1, arbitrary: oddText },
);

const clearFault = fc.oneof(
	badStatus,
	cutOff,
	brokenTls,
	oneOf<FaultSpec>(
		{ kind: 'reset' },
		{ kind: 'reset', phase: 'after' },
		{ kind: 'status', status: 503 },
		{ kind: 'status', status: 503, phase: 'after' },
		{ kind: 'tooManyRequests', retryAfter: 'none' },
		{ kind: 'emptyBody' },
		{ kind: 'brokenHttp' },
	),
);

const CONNECT_CODES = [
	...['ECONNREFUSED', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ECONNRESET', 'ENETDOWN'],
	...['EHOSTDOWN', 'EADDRNOTAVAIL', 'EACCES', 'EPERM', 'ECONNABORTED'],
];

/** Codes of a connection that was there. Some of them say something else at another moment. */
const LATER_CODES = [
	...['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EPROTO', 'ECONNREFUSED'],
	...['ECONNABORTED', 'ENETDOWN', 'ENETRESET', 'EHOSTDOWN', 'ENOTCONN', 'EIO', 'ENOBUFS'],
	'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
	'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE',
	'ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED',
	'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
	'ERR_SSL_WRONG_VERSION_NUMBER',
	'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC',
];

const earlyError: fc.Arbitrary<SocketError> = fc.oneof(
	fc.record({
		syscall: oneOf<SocketError['syscall']>('connect'),
		code: oneOf(...CONNECT_CODES),
		isDualStack: isOnceIn(3),
	}),
	fc.record({
		syscall: oneOf<SocketError['syscall']>('getaddrinfo'),
		code: oneOf('ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL'),
		isDualStack: fc.constant(false),
	}),
);

const laterError: fc.Arbitrary<SocketError> = fc.record({
	syscall: oneOf<SocketError['syscall']>('read', 'read', 'write', null),
	code: oneOf(...LATER_CODES),
	isDualStack: fc.constant(false),
});

const OPERATIONS: Record<Theme, fc.Arbitrary<SocketTrouble['operation']>> = {
	adds: oneOf('queue.add'),
	keys: oneOf('queue.add', 'queue.add', 'account.get'),
	clears: oneOf('queue.clear'),
	waits: oneOf('queue.add', 'queue.add', 'queue.getProgress', 'video.getAll', 'video.file'),
	agents: oneOf('queue.add', 'queue.add', 'queue.getProgress', 'video.getAll'),
};

const socketTrouble = (theme: Theme): fc.Arbitrary<SocketTrouble> =>
	fc
		.record({
			...{ operation: OPERATIONS[theme], nth, bodyBytes, earlyError, laterError },
			moment: oneOf<SocketTrouble['moment']>('connecting', 'connected', 'sent', 'receiving'),
		})
		.map(({ earlyError: early, laterError: later, moment, ...rest }) => ({
			...{ ...rest, moment, error: moment === 'connecting' ? early : later },
			bodyBytes: moment === 'receiving' ? rest.bodyBytes : 0,
		}));

const n8nTrouble = fc.record({
	part: oneOf<N8nTrouble['part']>('credential', 'credential', 'log', 'fileStore'),
	afterRequests: fc.integer({ min: 0, max: 4 }),
	nth: onceIn(2, 1, fc.integer({ min: 1, max: 8 })),
	count: fc.integer({ min: 1, max: 3 }),
	/** Whether it begins with the first fault of an add or a clear: a network can be gone for both. */
	isWithFault: fc.boolean(),
});

const readTrouble = fc.constantFrom(...(Object.keys(READ_TROUBLES) as ReadTrouble[]));

const video: fc.Arbitrary<StoryVideo> = fc
	.record({
		runsMs: milliseconds(1_500, 40_000),
		fails: isOnceIn(7),
		failedWord: oneOf(...FAILED_WORDS),
		completedWord: onceIn(5, 'completed', oneOf(...COMPLETED_WORDS)),
		laterWord: onceIn<string | null>(8, null, oneOf(...COMPLETED_WORDS)),
		logDelayMs: onceIn(2, 0, milliseconds(0, 10_000)),
		aheadMs: fc.constant(0),
		calledFailedAt: onceIn<number | null>(16, null, fc.integer({ min: 1, max: 4 })),
		clearedAfterMs: onceIn<number | null>(12, null, milliseconds(500, 40_000)),
		lookTrouble: onceIn<StoryVideo['lookTrouble']>(
			6,
			null,
			fc.record({
				nth: fc.integer({ min: 1, max: 5 }),
				count: fc.integer({ min: 1, max: 3 }),
				trouble: onceIn<ReadTrouble>(2, '404', readTrouble),
			}),
		),
	})
	.map(({ failedWord, completedWord, laterWord, ...rest }) => ({
		...rest,
		laterEnding: rest.fails ? null : laterWord,
		ending: rest.fails ? failedWord : completedWord,
	}));

/*
 * Blind spots of the strangers and the history: entries that change their project or their address, two
 * entries with one ID, and a log that leaves out entries of the run itself or has more than a few dozen.
 * For a run, the videos of another n8n, a worker, a person, an add of unknown fate, and of an item that
 * was stopped or given up are the same: entries that it has not ordered.
 */
const stranger: fc.Arbitrary<StoryStranger> = fc.record({
	account: onceIn<StoryItem['account']>(6, 0, fc.constant(1)),
	project: oneOf<StoryItem['project']>(0, 0, 1, 2),
	addedAfterMs: milliseconds(0, 60_000),
	runsMs: milliseconds(0, 40_000),
	logDelayMs: onceIn<number | null>(
		2,
		0,
		fc.option(fc.oneof(milliseconds(0, 10_000), milliseconds(0, 60_000)), { freq: 5 }),
	),
});

const entry: fc.Arbitrary<StoryEntry> = fc.record({
	account: onceIn<StoryItem['account']>(6, 0, fc.constant(1)),
	project: oneOf<StoryEntry['project']>(0, 0, 1, 2, null),
	createdAt: oneOf('2025-03-01T08:00:00.000Z', '', 'no date', '2099-01-01T00:00:00Z', '0'),
	vanishesAfterMs: onceIn<number | null>(3, null, milliseconds(0, 40_000)),
	returnsAfterMs: milliseconds(100, 30_000),
});

/** How the log keeps what the node assumes of it: a list that is later or earlier is only measured. */
type Listing = 'asAssumed' | 'late' | 'early';
const listing = onceIn<Listing>(10, 'asAssumed', oneOf<Listing>('late', 'early'));
const LATE_BY_MS = 12_000;
const EARLY_BY_MS = 3_000;

const service: fc.Arbitrary<StoryService> = fc.record({
	addTroubles: fc.uniqueArray(fc.record({ nth, fault: addFault }), {
		...{ maxLength: 4, size: 'max' },
		...uniqueNth,
	}),
	clearTroubles: fc.uniqueArray(fc.record({ nth, fault: clearFault }), {
		...{ maxLength: 4, size: 'max' },
		...uniqueNth,
	}),
	videos: fc.array(video, { maxLength: 10, size: 'max' }),
	strangers: fc.array(stranger, { maxLength: 5, size: 'max' }),
	history: fc.array(entry, { maxLength: 4, size: 'max' }),
	latencyMs: onceIn(2, 0, oneOf(100, 400, 2_500)),
	logTroubles: onceIn<StoryService['logTroubles']>(
		5,
		[],
		fc.uniqueArray(fc.record({ nth, trouble: readTrouble }), { maxLength: 3, ...uniqueNth }),
	),
	fileTroubles: onceIn<StoryService['fileTroubles']>(
		3,
		[],
		fc.uniqueArray(fc.record({ nth, trouble: oneOf(...FILE_TROUBLES) }), {
			...{ maxLength: 3, ...uniqueNth },
		}),
	),
	etags: onceIn<StoryService['etags']>(2, 'strong', oneOf(...ETAGS)),
	oddEntries: isOnceIn(8),
	numericQueueIds: onceIn<StoryService['numericQueueIds']>(
		6,
		false,
		oneOf<true | 'long'>(true, 'long'),
	),
	videoUrlInDetails: isOnceIn(8),
	endedItemsLeaveAfterMs: onceIn<number | null>(6, null, oneOf(0, 4_000)),
	logClockSkewMs: onceIn(2, 0, oneOf(1_500, -1_500, 3_000, -3_000)),
	logWholeSeconds: isOnceIn(6),
	credits: onceIn<number | null>(8, null, fc.integer({ min: 0, max: 5 })),
	errorField: onceIn<StoryService['errorField']>(
		6,
		null,
		fc.record({ value: oneOf<unknown>(null, '', false, 'none', { code: 0 }) }),
	),
});

/** Plain settings of videos and the log, which have no effect if no execution waits. */
const NO_VIDEOS: Partial<StoryService> = {
	...{
		videos: [],
		strangers: [],
		history: [],
		logTroubles: [],
		fileTroubles: [],
		etags: 'strong',
		oddEntries: false,
		logClockSkewMs: 0,
		logWholeSeconds: false,
	},
	...{ videoUrlInDetails: false, endedItemsLeaveAfterMs: null },
};

const clockIsSet = onceIn<Story['clockIsSet']>(
	5,
	[],
	fc.array(
		fc.record({
			afterMs: milliseconds(0, 40_000),
			byMs: oneOf(2_000, -2_000, 90_000, -90_000, 3_600_000, -3_600_000),
		}),
		{ minLength: 1, maxLength: 2 },
	),
);

const WAYS: Record<Theme, StoryExecution['way'][]> = {
	adds: ['items'],
	keys: ['items'],
	clears: ['items'],
	waits: ['items'],
	agents: ['agentSteps', 'agentCalls'],
};

const WAITING: Record<Theme, StoryExecution['waiting'][]> = {
	adds: ['none'],
	keys: ['none'],
	clears: ['none'],
	waits: ['add', 'add', 'wait'],
	agents: ['none', 'add'],
};

/** Creates a generator of stories of one theme. */
export function createStories(theme: Theme): fc.Arbitrary<Story> {
	const isWithKeys = theme === 'keys';
	const execution = fc.record({
		seed: executionSeed,
		keySettings: isWithKeys ? keySettings : fc.constant(NO_KEYS),
		operation: fc.constant(theme === 'clears' ? ('clear' as const) : ('add' as const)),
		waiting: oneOf(...WAITING[theme]),
		way: oneOf(...WAYS[theme]),
	});
	const trouble = socketTrouble(theme);
	return fc
		.record({
			first: execution,
			more: onceIn<ExecutionSeed[]>(
				isWithKeys ? 2 : 4,
				[],
				fc.array(execution, { minLength: 1, maxLength: 2 }),
			),
			...{ service, listing },
			keyStore: isWithKeys ? keyStore : fc.constant(EMPTY_KEY_STORE),
			fewCredits: onceIn<number | null>(2, null, fc.integer({ min: 2, max: 8 })),
			socketTroubles: onceIn<SocketTrouble[]>(
				2,
				[],
				fc.uniqueArray(trouble, {
					...{ minLength: 1, maxLength: 4, size: 'max' },
					selector: ({ operation, nth: number }) => `${operation} ${number}`,
				}),
			),
			n8nTroubles: onceIn(5, [], fc.array(n8nTrouble, { minLength: 1, maxLength: 2 })),
			clockIsSet,
			stopAfterMs: onceIn<number | null>(
				10,
				null,
				fc.oneof(milliseconds(100, 2_000), milliseconds(100, 30_000)),
			),
		})
		.map(({ first, more, n8nTroubles, listing: kind, fewCredits, ...rest }) => ({
			...rest,
			n8nTroubles: n8nTroubles.map(({ isWithFault, ...trouble }): N8nTrouble => {
				const { addTroubles, clearTroubles } = rest.service;
				const faults = theme === 'clears' ? clearTroubles : addTroubles;
				const afterRequests = Math.min(...faults.map((fault) => fault.nth));
				return isWithFault && faults.length > 0 ? { ...trouble, afterRequests, nth: 1 } : trouble;
			}),
			executions: [first, ...(isWithKeys ? more.map(repeat(first)) : more)].map(createExecution),
			service: {
				...rest.service,
				videos: rest.service.videos.map(listVideo(kind, [first, ...more])),
				...((theme === 'adds' || theme === 'clears' || isWithKeys) && NO_VIDEOS),
				...(theme === 'clears' ? { addTroubles: [] } : { clearTroubles: [] }),
				...(isWithKeys ? { credits: fewCredits } : { latencyMs: 0 }),
				// With its address, the progress would say that a video is finished.
				...(kind === 'early' && { videoUrlInDetails: false }),
			},
		}));
}

/** Returns stories of a theme, always the same ones for a seed. */
export function sampleStories(theme: Theme, seed: number, count: number): Story[] {
	return fc.sample(createStories(theme), { seed, numRuns: count });
}

type Generated<T> = T extends fc.Arbitrary<infer Value> ? Value : never;

interface ExecutionSeed extends Pick<StoryExecution, 'operation' | 'way' | 'waiting'> {
	seed: Generated<typeof executionSeed>;
	keySettings: Partial<Generated<typeof keySettings>>;
}

const NO_KEYS: ExecutionSeed['keySettings'] = {
	...{ uniqueKey: null, creditsPerVideo: null, killedAfterMs: null },
};

/** Has an execution begin with the same rows as another one. */
function repeat({ seed: { itemSeeds } }: ExecutionSeed): (again: ExecutionSeed) => ExecutionSeed {
	return (again) => ({ ...again, seed: { ...again.seed, itemSeeds } });
}

/** Has a video get into the log within the shortest Listing Delay, unless the story is about that. */
function listVideo(listing: Listing, seeds: ExecutionSeed[]): (video: StoryVideo) => StoryVideo {
	const delays = seeds.map(({ seed: { listingDelay = 10 } }) => Number(listingDelay) * 1_000);
	const shortestMs = Math.min(...delays);
	return (each) => {
		const logDelayMs = Math.round((each.logDelayMs * shortestMs) / 10_000);
		switch (listing) {
			case 'asAssumed':
				return { ...each, logDelayMs };
			case 'late':
				return { ...each, logDelayMs: shortestMs + LATE_BY_MS };
			case 'early':
				// One word at a time can be replaced.
				return {
					...{ ...each, logDelayMs: 0, aheadMs: EARLY_BY_MS, laterEnding: null },
					ending: each.fails ? each.ending : 'completed',
				};
		}
	};
}

function createExecution(
	{ seed, keySettings: settings, operation, way, waiting }: ExecutionSeed,
	index: number,
): StoryExecution {
	const { isLoop, itemSeeds, projects, shortWait, listingDelay, ...others } = seed;
	const { uniqueKey = null, creditsPerVideo = null, killedAfterMs = null } = settings;
	const rest = {
		...{ ...others, uniqueKey, creditsPerVideo, killedAfterMs },
		startsAfterMs: index === 0 ? null : others.startsAfterMs,
		creditsToKeep: settings.creditsToKeep ?? others.creditsToKeep,
	};
	const items = itemSeeds.map(({ account, project, prompt, ...item }, itemIndex): StoryItem => ({
		...item,
		key: item.key === 'own' ? `row ${itemIndex + 1}` : item.key,
		account: account ? 1 : 0,
		project: (project % projects) as StoryItem['project'],
		// n8n formats a list within a text in its own way.
		prompt: createPrompt(
			rest.uniqueKey !== null || (prompt === 'list' && rest.promptEnd !== '') ? 'own' : prompt,
			index,
			itemIndex,
		),
		// With Ignore SSL Issues, every certificate is trusted.
		address:
			item.address === 'untrusted' && rest.protocol === 'https' ? 'closedPort' : item.address,
	}));
	const waitOptions = {
		...(shortWait ?? rest.waitOptions),
		...(listingDelay !== undefined && { listingDelay }),
	};
	const execution = { ...rest, operation, waiting, waitOptions };
	if (way === 'items') {
		const isTwice = isLoop && operation === 'add';
		return { ...execution, items, way: isTwice ? 'loop' : 'items' };
	}
	// An agent calls one tool with one credential, and writes its prompts itself.
	const { account = 0, address = 'service' } = items[0] ?? {};
	return {
		...execution,
		...{ way, executeOnce: false, batchSize: 0, retries: [] },
		items: items.slice(0, 5).map((item) => ({
			...{ ...item, account, address },
			prompt: typeof item.prompt === 'string' ? item.prompt : 'Same film',
		})),
	};
}

function createPrompt(kind: PromptKind, execution: number, item: number): StoryItem['prompt'] {
	switch (kind) {
		case 'own':
			return `Film ${execution + 1}.${item + 1}`;
		case 'number':
			return 1_000 * (execution + 1) + item;
		case 'same':
			return 'Same film';
		case 'true':
			return true;
		case 'list':
			return ['Film', item];
		case 'none':
			return null;
	}
}
