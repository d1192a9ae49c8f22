import fc from 'fast-check';
import type { Story, StoryExecution, StoryItem, StoryService, StoryVideo } from './Story';
import type { AddTrouble, ReadTrouble } from './troubles';
import { ADD_TROUBLES, READ_TROUBLES } from './troubles';

/** What a story is about; each has its share of the stories, and its own test file. */
export type Theme = 'adds' | 'waits' | 'agents';

/** The words that the node knows for a failed generation by itself, as its documents list them. */
const FAILED_WORDS = [
	...['failed', 'failure', 'error', 'errored', 'rejected', 'expired', 'aborted'],
	...['cancelled', 'canceled', 'CANCELED'],
];
const COMPLETED_WORDS = [
	...['completed', 'complete', 'done', 'finished', 'success', 'succeeded', 'ready', 'Completed'],
];

/*
 * Everything shrinks to the plain story: one item, nothing goes wrong, all settings as n8n has them. So the
 * first of several constants is the plain one, and a number of a list is mapped to it.
 */
const rarely = fc.integer({ min: 0, max: 7 }).map((number) => number === 7);
const milliseconds = (min: number, max: number) =>
	fc.integer({ min: min / 100, max: max / 100 }).map((tenths) => tenths * 100);

type PromptKind = 'own' | 'same' | 'number' | 'none' | 'true';

const itemSeed = fc.record({
	account: rarely,
	project: fc.integer({ min: 0, max: 2 }),
	prompt: fc.oneof(
		{ weight: 6, arbitrary: fc.constant<PromptKind>('own') },
		{ weight: 3, arbitrary: fc.constantFrom<PromptKind[]>('number', 'same', 'none', 'true') },
	),
	overwriteSettings: fc.oneof(
		{ weight: 4, arbitrary: fc.constant(false) },
		{ weight: 3, arbitrary: fc.constantFrom<unknown[]>(true, 'true', 'TRUE', 1, 'false', 0, '') },
	),
	unreachable: fc.integer({ min: 0, max: 15 }).map((number) => number === 15),
});

const execution = fc.record({
	way: fc.oneof(
		{ weight: 5, arbitrary: fc.constant('items' as const) },
		{ weight: 1, arbitrary: fc.constant('loop' as const) },
	),
	itemSeeds: fc.array(itemSeed, { minLength: 1, maxLength: 8, size: 'max' }),
	projects: fc.integer({ min: 1, max: 3 }),
	callsAtOnce: fc.integer({ min: 1, max: 3 }),
	promptEnd: fc.oneof(
		{ weight: 3, arbitrary: fc.constant('' as const) },
		{ weight: 2, arbitrary: fc.constantFrom('$now' as const, 'Math.random()' as const) },
	),
	waitSwitch: fc.constantFrom(true as const, 'true' as const, 'TRUE' as const, 1 as const),
	waitOptions: fc.oneof(
		{
			weight: 9,
			arbitrary: fc.constantFrom<StoryExecution['waitOptions'][]>(
				{ pollingInterval: 5, timeout: 60 },
				{ pollingInterval: 3, timeout: 30 },
				{ pollingInterval: '2', timeout: '45' },
				{ pollingInterval: 1, timeout: 20 },
				{ pollingInterval: 2.5, timeout: 40 },
				{ timeout: 90 },
			),
		},
		{ weight: 1, arbitrary: fc.constant({}) },
	),
	waitKnowsProject: rarely.map((isUnknown) => !isUnknown),
	onError: fc.constantFrom(
		'stopWorkflow' as const,
		'continueRegularOutput' as const,
		'continueErrorOutput' as const,
	),
	tries: fc.constantFrom(1 as const, 2 as const, 3 as const, 5 as const),
	executeOnce: fc.integer({ min: 0, max: 15 }).map((number) => number === 15),
	batchSize: fc.oneof(
		{ weight: 4, arbitrary: fc.constant<number | string>(0) },
		{ weight: 1, arbitrary: fc.constantFrom<(number | string)[]>(1, 2, 3, '2') },
	),
	requestTimeout: fc.oneof(
		{ weight: 6, arbitrary: fc.constant(null) },
		{
			weight: 1,
			arbitrary: fc.constantFrom<(number | string)[]>(30_000, '30000', 45_000.5, 2 ** 31 + 1),
		},
	),
	batchIntervalMs: fc.constantFrom(0, 700, 5_000),
	maxTries: fc.constantFrom(null, 1, 2, 6),
});

const troubleNth = fc.integer({ min: 1, max: 9 });
const uniqueNth = { selector: ({ nth }: { nth: number }) => nth };
const readTrouble = fc.constantFrom(...(Object.keys(READ_TROUBLES) as ReadTrouble[]));

const video: fc.Arbitrary<StoryVideo> = fc
	.record({
		runsMs: milliseconds(1_500, 40_000),
		fails: rarely,
		failedWord: fc.constantFrom(...FAILED_WORDS),
		completedWord: fc.oneof(
			{ weight: 4, arbitrary: fc.constant('completed') },
			{ weight: 1, arbitrary: fc.constantFrom(...COMPLETED_WORDS) },
		),
		logDelayMs: fc.oneof(fc.constant(0), milliseconds(0, 10_000)),
		clearedAfterMs: fc.option(milliseconds(500, 40_000), { freq: 2, nil: null }),
		isCleared: rarely,
		lookTrouble: fc.option(
			fc.record({
				nth: fc.integer({ min: 1, max: 5 }),
				count: fc.integer({ min: 1, max: 3 }),
				trouble: fc.oneof(fc.constant<ReadTrouble>('404'), readTrouble),
			}),
			{ freq: 3, nil: null },
		),
		hasLookTrouble: rarely,
	})
	.map(
		({
			failedWord,
			completedWord,
			isCleared,
			hasLookTrouble,
			clearedAfterMs,
			lookTrouble,
			...rest
		}) => ({
			...rest,
			ending: rest.fails ? failedWord : completedWord,
			clearedAfterMs: isCleared ? clearedAfterMs : null,
			lookTrouble: hasLookTrouble ? lookTrouble : null,
		}),
	);

const service: fc.Arbitrary<StoryService> = fc.record({
	addTroubles: fc.uniqueArray(
		fc.record({
			nth: troubleNth,
			trouble: fc.constantFrom(...(Object.keys(ADD_TROUBLES) as AddTrouble[])),
		}),
		{ maxLength: 4, size: 'max', ...uniqueNth },
	),
	videos: fc.array(video, { maxLength: 10, size: 'max' }),
	logTroubles: fc.oneof(
		{ weight: 4, arbitrary: fc.constant<StoryService['logTroubles']>([]) },
		{
			weight: 1,
			arbitrary: fc.uniqueArray(fc.record({ nth: troubleNth, trouble: readTrouble }), {
				maxLength: 3,
				...uniqueNth,
			}),
		},
	),
	oddEntries: rarely,
	numericQueueIds: rarely,
	videoUrlInDetails: rarely,
	endedItemsLeaveAfterMs: fc.oneof(
		{ weight: 5, arbitrary: fc.constant(null) },
		{ weight: 1, arbitrary: fc.constantFrom(0, 4_000) },
	),
	logClockSkewMs: fc.constantFrom(0, 0, 0, 1_500, -1_500, 3_000, -3_000),
	logWholeSeconds: rarely,
	credits: fc.oneof(
		{ weight: 7, arbitrary: fc.constant(null) },
		{ weight: 1, arbitrary: fc.integer({ min: 0, max: 5 }) },
	),
});

const clockIsSet = fc.oneof(
	{ weight: 4, arbitrary: fc.constant<Story['clockIsSet']>([]) },
	{
		weight: 1,
		arbitrary: fc.array(
			fc.record({
				afterMs: milliseconds(0, 40_000),
				byMs: fc.constantFrom(2_000, -2_000, 90_000, -90_000, 3_600_000, -3_600_000),
			}),
			{ minLength: 1, maxLength: 2 },
		),
	},
);

type ExecutionSeed = typeof execution extends fc.Arbitrary<infer T> ? T : never;

/** Stories of one theme. */
export function createStories(theme: Theme): fc.Arbitrary<Story> {
	const waiting =
		theme === 'adds'
			? fc.constant('none' as const)
			: theme === 'waits'
				? fc.constantFrom('add' as const, 'add' as const, 'wait' as const)
				: fc.constantFrom('none' as const, 'add' as const);
	const way =
		theme === 'agents'
			? fc.constantFrom('agentSteps' as const, 'agentCalls' as const)
			: fc.constant(null);
	const oneExecution = fc
		.record({ seed: execution, waiting, way })
		.map(({ seed, ...fixed }) => ({ ...seed, ...fixed, way: fixed.way ?? seed.way }));
	return fc
		.record({
			executions: fc.oneof(
				{ weight: 4, arbitrary: fc.tuple(oneExecution) },
				{ weight: 1, arbitrary: fc.tuple(oneExecution, oneExecution) },
			),
			service,
			clockIsSet,
			stopAfterMs: fc.oneof(
				{ weight: 9, arbitrary: fc.constant(null) },
				{ weight: 1, arbitrary: fc.oneof(milliseconds(100, 2_000), milliseconds(100, 30_000)) },
			),
		})
		.map(({ executions, ...rest }) => ({
			...rest,
			executions: executions.map((seed, index) => createExecution(seed, index)),
			service: theme === 'adds' ? { ...rest.service, ...NO_VIDEOS } : rest.service,
		}));
}

/** Where nobody waits, nobody sees them. */
const NO_VIDEOS = {
	videos: [],
	logTroubles: [],
	oddEntries: false,
	logClockSkewMs: 0,
	logWholeSeconds: false,
};

type Seed = Omit<ExecutionSeed, 'way'> & Pick<StoryExecution, 'way' | 'waiting'>;

function createExecution({ itemSeeds, projects, ...rest }: Seed, index: number): StoryExecution {
	const items = itemSeeds.map(
		({ account, project, prompt, overwriteSettings, unreachable }, item): StoryItem => ({
			account: account ? 1 : 0,
			project: (project % projects) as StoryItem['project'],
			prompt: createPrompt(prompt, index, item),
			overwriteSettings: overwriteSettings as StoryItem['overwriteSettings'],
			unreachable,
		}),
	);
	if (rest.way === 'items' || rest.way === 'loop') return { ...rest, items };
	// An agent calls one tool with one credential, and writes its prompts itself.
	const [first] = items;
	return {
		...rest,
		...{ executeOnce: false, batchSize: 0 },
		items: items.slice(0, 5).map((item) => ({
			...item,
			account: first?.account ?? 0,
			unreachable: first?.unreachable ?? false,
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
		case 'none':
			return null;
	}
}
