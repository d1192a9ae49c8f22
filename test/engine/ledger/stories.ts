import fc from 'fast-check';
import { ETAGS } from '../../../sandbox/domain/settings';
import type { Story, StoryExecution, StoryItem, StoryService, StoryVideo } from './Story';
import type { AddTrouble, ReadTrouble } from './troubles';
import { ADD_TROUBLES, FILE_TROUBLES, READ_TROUBLES } from './troubles';

/** The topic of a story; each theme has its share of the stories, and its own test file. */
export type Theme = 'adds' | 'waits' | 'agents';

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

type PromptKind = 'own' | 'same' | 'number' | 'none' | 'true' | 'list';

const itemSeed = fc.record({
	account: isOnceIn(6),
	project: fc.integer({ min: 0, max: 2 }),
	prompt: onceIn<PromptKind>(3, 'own', oneOf('number', 'same', 'same', 'none', 'true', 'list')),
	overwriteSettings: onceIn<StoryItem['overwriteSettings']>(
		2,
		false,
		oneOf<boolean | string | number>(true, true, 'true', 'TRUE', 1, 'false', 0, '', 'perhaps'),
	),
	unreachable: isOnceIn(16),
});

const executionSeed = fc.record({
	isLoop: isOnceIn(6),
	itemSeeds: fc.array(itemSeed, { minLength: 1, maxLength: 8, size: 'max' }),
	projects: fc.integer({ min: 1, max: 3 }),
	callsAtOnce: fc.integer({ min: 1, max: 3 }),
	promptEnd: oneOf<StoryExecution['promptEnd']>('', '', '', '$now', 'Math.random()'),
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
	downloadVideo: isOnceIn(4),
	waitKnowsProject: onceIn(6, true, fc.constant(false)),
	onError: oneOf<StoryExecution['onError']>(
		'stopWorkflow',
		'continueRegularOutput',
		'continueErrorOutput',
	),
	tries: oneOf<StoryExecution['tries']>(1, 1, 2, 3, 5),
	executeOnce: isOnceIn(16),
	creditsToKeep: onceIn<number | null>(6, null, oneOf(0, 2, 997)),
	batchSize: onceIn<StoryExecution['batchSize']>(6, 0, oneOf<number | string>(1, 2, 3, '2')),
	batchIntervalMs: oneOf(0, 700, 5_000),
	requestTimeout: onceIn<StoryExecution['requestTimeout']>(
		8,
		null,
		oneOf<number | string>(30_000, '30000', 45_000.5, '60000'),
	),
	maxTries: onceIn<number | null>(3, null, oneOf(1, 2, 6)),
});

const nth = fc.integer({ min: 1, max: 9 });
const uniqueNth = { selector: (trouble: { nth: number }) => trouble.nth };
const addTrouble = fc.constantFrom(...(Object.keys(ADD_TROUBLES) as AddTrouble[]));
const readTrouble = fc.constantFrom(...(Object.keys(READ_TROUBLES) as ReadTrouble[]));

const video: fc.Arbitrary<StoryVideo> = fc
	.record({
		runsMs: milliseconds(1_500, 40_000),
		fails: isOnceIn(7),
		failedWord: oneOf(...FAILED_WORDS),
		completedWord: onceIn(5, 'completed', oneOf(...COMPLETED_WORDS)),
		laterWord: onceIn<string | null>(8, null, oneOf(...COMPLETED_WORDS)),
		logDelayMs: onceIn(2, 0, milliseconds(0, 10_000)),
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

const service: fc.Arbitrary<StoryService> = fc.record({
	addTroubles: fc.uniqueArray(fc.record({ nth, trouble: addTrouble }), {
		...{ maxLength: 4, size: 'max' },
		...uniqueNth,
	}),
	videos: fc.array(video, { maxLength: 10, size: 'max' }),
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
	numericQueueIds: isOnceIn(8),
	videoUrlInDetails: isOnceIn(8),
	endedItemsLeaveAfterMs: onceIn<number | null>(6, null, oneOf(0, 4_000)),
	logClockSkewMs: onceIn(2, 0, oneOf(1_500, -1_500, 3_000, -3_000)),
	logWholeSeconds: isOnceIn(6),
	credits: onceIn<number | null>(8, null, fc.integer({ min: 0, max: 5 })),
});

/** Plain settings of videos and the log, which have no effect if no execution waits. */
const NO_VIDEOS: Partial<StoryService> = {
	...{
		videos: [],
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
	waits: ['items'],
	agents: ['agentSteps', 'agentCalls'],
};

const WAITING: Record<Theme, StoryExecution['waiting'][]> = {
	adds: ['none'],
	waits: ['add', 'add', 'wait'],
	agents: ['none', 'add'],
};

/** Creates a generator of stories of one theme. */
export function createStories(theme: Theme): fc.Arbitrary<Story> {
	const execution = fc.record({
		seed: executionSeed,
		waiting: oneOf(...WAITING[theme]),
		way: oneOf(...WAYS[theme]),
	});
	return fc
		.record({
			first: execution,
			second: onceIn<ExecutionSeed | null>(5, null, execution),
			service,
			clockIsSet,
			stopAfterMs: onceIn<number | null>(
				10,
				null,
				fc.oneof(milliseconds(100, 2_000), milliseconds(100, 30_000)),
			),
		})
		.map(({ first, second, ...rest }) => ({
			...rest,
			executions: [first, ...(second ? [second] : [])].map(createExecution),
			service: { ...rest.service, ...(theme === 'adds' && NO_VIDEOS) },
		}));
}

/** Returns stories of a theme, always the same ones for a seed. */
export function sampleStories(theme: Theme, seed: number, count: number): Story[] {
	return fc.sample(createStories(theme), { seed, numRuns: count });
}

interface ExecutionSeed extends Pick<StoryExecution, 'way' | 'waiting'> {
	seed: typeof executionSeed extends fc.Arbitrary<infer Seed> ? Seed : never;
}

function createExecution({ seed, way, waiting }: ExecutionSeed, index: number): StoryExecution {
	const { isLoop, itemSeeds, projects, shortWait, ...rest } = seed;
	const items = itemSeeds.map(({ account, project, prompt, ...item }, itemIndex): StoryItem => ({
		...item,
		account: account ? 1 : 0,
		project: (project % projects) as StoryItem['project'],
		// n8n formats a list within a text in its own way.
		prompt: createPrompt(
			prompt === 'list' && rest.promptEnd !== '' ? 'own' : prompt,
			index,
			itemIndex,
		),
	}));
	const execution = { ...rest, waiting, waitOptions: shortWait ?? rest.waitOptions };
	if (way === 'items') return { ...execution, items, way: isLoop ? 'loop' : 'items' };
	// An agent calls one tool with one credential, and writes its prompts itself.
	const { account = 0, unreachable = false } = items[0] ?? {};
	return {
		...execution,
		...{ way, executeOnce: false, batchSize: 0 },
		items: items.slice(0, 5).map((item) => ({
			...{ ...item, account, unreachable },
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
