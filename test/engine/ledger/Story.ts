import type { Settings } from '../../../sandbox/domain/settings';
import type { FaultSpec } from '../../../sandbox/faults/FaultSpec';
import type { Operation } from '../../../sandbox/domain/model';
import type { FileTrouble, ReadTrouble } from './troubles';

/**
 * One or two executions of a workflow, and the behavior of the service, the network, n8n and this
 * machine meanwhile. A story is plain JSON: anything that can run a workflow against the sandbox can play
 * it, such as n8n's engine or a real n8n.
 */
export interface Story {
	executions: StoryExecution[];
	service: StoryService;
	/** Requests whose connection breaks. A real n8n cannot play them. */
	socketTroubles: SocketTrouble[];
	/** Failures of n8n itself. A real n8n cannot play them. */
	n8nTroubles: N8nTrouble[];
	/** Changes of this machine's clock: the time of each change and its amount. */
	clockIsSet: { afterMs: number; byMs: number }[];
	/** Time until Stop is pressed on the first execution; null: never. */
	stopAfterMs: number | null;
	/** n8n's store of the unique keys. A real n8n has its own. */
	keyStore: StoryKeyStore;
}

export interface StoryKeyStore {
	/** Numbers of the calls that fail without an effect, from 1. */
	failingCalls: number[];
	/** Duration of each call. */
	delayMs: number;
	/** Number of keys that the node has used already: others, after the `OLDEST_KEY`. */
	keys: number;
}

export const OLDEST_KEY = 'row 1';

export const EMPTY_KEY_STORE: StoryKeyStore = { failingCalls: [], delayMs: 0, keys: 0 };

/**
 * A connection of this process that breaks with an error of the system, as the kernel reports it.
 * The error is simulated: the socket is destroyed with it.
 */
export interface SocketTrouble {
	operation: Operation;
	/** Counted from 1 among the requests for the operation, in the order in which they start. */
	nth: number;
	/**
	 * `connecting`: there is no connection yet. `connected`: nothing was sent yet. `sent`: the service
	 * has processed the request, and nothing of its response arrives. `receiving`: the head arrives,
	 * and `bodyBytes` of the body.
	 */
	moment: 'connecting' | 'connected' | 'sent' | 'receiving';
	bodyBytes: number;
	error: SocketError;
}

export interface SocketError {
	/** Null: the connection is closed without an error, and Node reports that it hung up. */
	syscall: 'getaddrinfo' | 'connect' | 'read' | 'write' | null;
	code: string;
	/** Both addresses of a host fail, each with such an error, as Node reports it since version 20. */
	isDualStack: boolean;
}

/** A part of n8n that fails `count` times, beginning with its nth use, from 1. */
export interface N8nTrouble {
	part: 'credential' | 'log' | 'fileStore';
	/** Number of adds and clears that have begun before its uses are counted. */
	afterRequests: number;
	nth: number;
	count: number;
}

/** A press of Executions > Retry, once an execution has failed. */
export interface StoryRetry {
	/** Time from the failure. */
	afterMs: number;
	/**
	 * The changes of the workflow since then; null: Retry with original workflow. Otherwise, n8n runs
	 * the workflow as it is saved now.
	 */
	change: Pick<StoryExecution, 'promptEnd' | 'maxTries' | 'tries' | 'uniqueKey'> | null;
}

/** The expression of Unique Key. The last one is another key in every try. */
export type KeyExpression = '$json.key' | '$json.key-b' | 'Math.random()';

/** A value from a sheet or a form; null if the column is missing. */
export type StoryValue = string | number | boolean | string[] | null;

export interface StoryExecution {
	/** A clear has no prompts and never waits; `clear` items name items that are in the queue. */
	operation: 'add' | 'clear';
	/** With `https`, SSL certificates are not verified (Ignore SSL Issues). */
	protocol: 'http' | 'https';
	/** Time from the end of the execution before it; null: it starts together with that one. */
	startsAfterMs: number | null;
	/**
	 * Time from its start until its process is killed, with all executions in it; null: never. n8n has
	 * saved nothing of them then. A real n8n is not killed.
	 */
	killedAfterMs: number | null;
	/** The presses of Executions > Retry, each after the execution before it failed. */
	retries: StoryRetry[];
	/**
	 * `items`: the node runs once over all items. `loop`: the node runs twice, with the same items.
	 * `agentCalls`: an older agent calls the tool itself, once for each item. `agentSteps`: a newer
	 * agent leaves each call to n8n.
	 */
	way: 'items' | 'loop' | 'agentCalls' | 'agentSteps';
	items: StoryItem[];
	/** Number of calls that an agent makes at once. */
	callsAtOnce: number;
	/** The part that the expression of Custom Prompt adds to the item's own prompt. */
	promptEnd: '' | '$now' | 'Math.random()';
	/** `add`: Queue > Add waits itself. `wait`: a Queue > Wait follows it. */
	waiting: 'none' | 'add' | 'wait';
	/** The value that turns Wait for Completion on. */
	waitSwitch: true | 'true' | 'TRUE' | 1;
	waitOptions: {
		pollingInterval?: number | string;
		timeout?: number | string;
		listingDelay?: number | string;
	};
	/** Whether the file of an awaited video is downloaded. */
	downloadVideo: boolean;
	/** Whether Queue > Wait receives the project. */
	waitKnowsProject: boolean;
	onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
	/** The maximum number of tries of Retry On Fail; 1 when it is off. */
	tries: 1 | 2 | 3 | 5;
	executeOnce: boolean;
	/** The options Unique Key, Credits to Keep and Credits per Video; null when they are not set. */
	uniqueKey: KeyExpression | null;
	creditsToKeep: number | '$json.keep' | null;
	creditsPerVideo: '$json.cost' | null;
	/** n8n's Request Options; a batch size of 0 and a timeout of null mean that they are not set. */
	batchSize: number | string;
	batchIntervalMs: number;
	requestTimeout: number | string | null;
	/** The option Max Tries of the node; null when it is not set. */
	maxTries: number | null;
}

export interface StoryItem {
	account: 0 | 1;
	project: 0 | 1 | 2;
	/** Null if the item has no prompt. A list is not a prompt, and must be refused. */
	prompt: string | number | boolean | (string | number)[] | null;
	/**
	 * The value as it comes from a sheet or a form; a word that is neither on nor off must be
	 * refused.
	 */
	overwriteSettings: boolean | string | number;
	/**
	 * Where its Base URL leads: the service, a port at which nothing listens, the service's HTTPS with
	 * a certificate that n8n does not accept, or an https address at which a server speaks plain HTTP.
	 */
	address: 'service' | 'closedPort' | 'untrusted' | 'plainText';
	/** The values for the expressions of Unique Key, Credits to Keep and Credits per Video. */
	key: StoryValue;
	keep: StoryValue;
	cost: StoryValue;
}

export interface ServiceTrouble {
	nth: number;
	fault: FaultSpec;
}

export interface StoryService {
	/** The faults of adds and of clears, by the order in which they reach the service, from 1. */
	addTroubles: ServiceTrouble[];
	clearTroubles: ServiceTrouble[];
	/** The lives of the accepted adds, in their order; adds beyond the list have plain lives. */
	videos: StoryVideo[];
	/** Videos that another n8n, a worker, a person or an add of unknown fate queues meanwhile. */
	strangers: StoryStranger[];
	/** The entries that the log has from the beginning. */
	history: StoryEntry[];
	/** Delay of every request. */
	latencyMs: number;
	/** The troubles of requests for the video log, by their order, from 1. */
	logTroubles: { nth: number; trouble: ReadTrouble }[];
	/** The troubles of downloads of files, by their order, from 1. */
	fileTroubles: { nth: number; trouble: FileTrouble }[];
	/** The entity tags of the video log; some kinds are wrong and never change. */
	etags: Settings['etags'];
	/** Whether null, numbers, texts and empty objects are among the entries of the log. */
	oddEntries: boolean;
	/** A field `error` of the service in each queue item and its progress; absent: there is none. */
	errorField?: { value: unknown } | null;
	numericQueueIds: Settings['numericQueueIds'];
	videoUrlInDetails: boolean;
	/** Null: ended items stay in the queue. */
	endedItemsLeaveAfterMs: number | null;
	logClockSkewMs: number;
	logWholeSeconds: boolean;
	/** Null: enough credits for everything. */
	credits: number | null;
}

export interface StoryVideo {
	/** Time from its acceptance to its end. */
	runsMs: number;
	/** The final word of its status. */
	ending: string;
	/**
	 * The word that later replaces the final one, e.g. "published" instead of "rendered"; null: none.
	 */
	laterEnding: string | null;
	fails: boolean;
	/** Time from its end to its entry in the log. */
	logDelayMs: number;
	/** Time by which its entry precedes its end, which the node assumes never to happen. */
	aheadMs: number;
	/** The request for its progress that calls it failed, though it goes on; null: none. */
	calledFailedAt: number | null;
	/**
	 * Time from its acceptance until another client clears it; null: never. A finished video is listed
	 * all the same.
	 */
	clearedAfterMs: number | null;
	/** The trouble of `count` requests for its progress, beginning with the `nth`. */
	lookTrouble: { nth: number; count: number; trouble: ReadTrouble } | null;
}

export const PLAIN_VIDEO: StoryVideo = {
	...{ runsMs: 8_000, ending: 'completed', laterEnding: null, fails: false, logDelayMs: 0 },
	...{ aheadMs: 0, calledFailedAt: null, clearedAfterMs: null, lookTrouble: null },
};

/** A video that none of the executions has ordered. */
export interface StoryStranger extends Pick<StoryItem, 'account' | 'project'> {
	addedAfterMs: number;
	runsMs: number;
	/** Time from its end to its entry in the log; null: it gets none. */
	logDelayMs: number | null;
}

export interface StoryEntry {
	account: StoryItem['account'];
	/** Null: the entry names no project. */
	project: StoryItem['project'] | null;
	createdAt: string;
	/** Time until it vanishes; null: never. */
	vanishesAfterMs: number | null;
	/** Time until it returns. */
	returnsAfterMs: number;
}

/** Returns the story's video for the charge with this index. */
export function getVideo({ videos }: StoryService, index: number): StoryVideo {
	return videos[index] ?? PLAIN_VIDEO;
}

export function isAgent({ way }: StoryExecution): boolean {
	return way === 'agentCalls' || way === 'agentSteps';
}
