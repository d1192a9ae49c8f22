import type { Settings } from '../../../sandbox/domain/settings';
import type { AddTrouble, FileTrouble, ReadTrouble } from './troubles';

/**
 * One or two executions of a workflow, and how the service and this machine behave meanwhile. Plain
 * JSON: whatever can run a workflow against the sandbox can play it, n8n's engine or a real n8n.
 */
export interface Story {
	/** Two start at the same moment. */
	executions: StoryExecution[];
	service: StoryService;
	/** When this machine's clock is set, and by how much. */
	clockIsSet: { afterMs: number; byMs: number }[];
	/** When Stop is pressed on the first execution. */
	stopAfterMs: number | null;
}

export interface StoryExecution {
	/**
	 * `items`: the node once over all items. `loop`: the node twice, with the same items. `agentCalls`: an older
	 * agent calls the tool itself, once for each item. `agentSteps`: a newer one leaves each call to n8n.
	 */
	way: 'items' | 'loop' | 'agentCalls' | 'agentSteps';
	items: StoryItem[];
	/** How many calls an agent makes at once. */
	callsAtOnce: number;
	/** What the expression of Custom Prompt has besides the item's own prompt. */
	promptEnd: '' | '$now' | 'Math.random()';
	/** `add`: Queue > Add waits itself. `wait`: a Queue > Wait follows it. */
	waiting: 'none' | 'add' | 'wait';
	/** How "on" is written for Wait for Completion. */
	waitSwitch: true | 'true' | 'TRUE' | 1;
	waitOptions: { pollingInterval?: number | string; timeout?: number | string };
	/** Whether the file of a video that is waited for is downloaded. */
	downloadVideo: boolean;
	/** Whether Queue > Wait is told the project. */
	waitKnowsProject: boolean;
	onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
	/** Of Retry On Fail, 1 when it is off. */
	tries: 1 | 2 | 3 | 5;
	executeOnce: boolean;
	/** The option Credits to Keep; null when it is not set. */
	creditsToKeep: number | null;
	/** n8n's Request Options; batches of 0 and a timeout of null are not set. */
	batchSize: number | string;
	batchIntervalMs: number;
	requestTimeout: number | string | null;
	/** The option Max Tries of the node; null when it is not set. */
	maxTries: number | null;
}

export interface StoryItem {
	account: 0 | 1;
	project: 0 | 1 | 2;
	/** Null when the item has none. A list is no prompt, and must be refused. */
	prompt: string | number | boolean | (string | number)[] | null;
	/** As it comes from sheets and forms; a word that is neither on nor off must be refused. */
	overwriteSettings: boolean | string | number;
	/** Whether its Base URL leads to a port that nobody listens on. */
	unreachable: boolean;
}

export interface StoryService {
	/** What happens to adds, by the order in which they reach the service, from 1. */
	addTroubles: { nth: number; trouble: AddTrouble }[];
	/** By the order in which they are accepted; those beyond the list are plain. */
	videos: StoryVideo[];
	/** What happens to readings of the video log, by their order, from 1. */
	logTroubles: { nth: number; trouble: ReadTrouble }[];
	/** What happens to downloads of files, by their order, from 1. */
	fileTroubles: { nth: number; trouble: FileTrouble }[];
	/** Which tags the video log has; some are wrong, and never change. */
	etags: Settings['etags'];
	/** Null, numbers, texts and empty objects among the entries of the log. */
	oddEntries: boolean;
	numericQueueIds: boolean;
	videoUrlInDetails: boolean;
	/** Null: ended items stay in the queue. */
	endedItemsLeaveAfterMs: number | null;
	logClockSkewMs: number;
	logWholeSeconds: boolean;
	/** Null: enough for everything. */
	credits: number | null;
}

export interface StoryVideo {
	/** From its acceptance to its end. */
	runsMs: number;
	/** The word that the status ends with. */
	ending: string;
	/** The word that the service changes it to later, as from "rendered" to "published"; null: none. */
	laterEnding: string | null;
	fails: boolean;
	/** From its end to its entry in the log. */
	logDelayMs: number;
	/** When somebody else clears it, counted from its acceptance. */
	clearedAfterMs: number | null;
	/** What happens when its progress is asked for: `count` times from the `nth` time on. */
	lookTrouble: { nth: number; count: number; trouble: ReadTrouble } | null;
}

export const PLAIN_VIDEO: StoryVideo = {
	...{ runsMs: 8_000, ending: 'completed', laterEnding: null, fails: false, logDelayMs: 0 },
	...{ clearedAfterMs: null, lookTrouble: null },
};

/** Which video of the story a charge is. */
export function getVideo({ videos }: StoryService, index: number): StoryVideo {
	return videos[index] ?? PLAIN_VIDEO;
}

export function isAgent({ way }: StoryExecution): boolean {
	return way === 'agentCalls' || way === 'agentSteps';
}
