import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';
import { SEED_ACCOUNTS } from '../../sandbox/domain/SEED_ACCOUNTS';
import { ETAGS } from '../../sandbox/domain/settings';
import type { Operation } from '../../sandbox/domain/model';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { byId, LISTING_DELAY } from '../support/engine/OPERATIONS';
import { type Way, WAYS } from '../support/engine/runTools';
import { type Execution, type Plan, TROUBLE_FREE, type Workflow } from './Plan';

/*
 * Random plans. Every plan shrinks to the plain one: one row, the usual settings, and no trouble.
 * What every single error, status and byte means for an add is decided by a pure function, and tested in
 * tables/failures/errors.test.ts and tables/adds/addResponse.test.ts: here, a few of each kind stand for all.
 *
 * Not drawn: clears by the node (promises/requests.test.ts), and n8n's own timeout of all executions
 * (promises/lanes.test.ts); a machine's clock that is set; errors of TLS and of sockets before the connection; lists of
 * thousands of entries; entries that vanish or have no readable date; credentials whose accounts are
 * swapped; videos of others in n8n's pauses between batches; sub-workflows; a list that lags or leads by more
 * than Listing Delay, but for one that is cached for 30 s, or one that never shows a finished item that
 * somebody deletes: then no row after it is given a video; a cache that others fill; a queue ID that comes again
 * before its first video is listed, or in another account; orders that are merged with a finished item; workers
 * that take turns: another process is a stranger, and loses no race for a key.
 *
 * Not drawn of models: unique keys; those that fail after their tool has queued a video; tools that are
 * stopped; calls for Queue > Wait.
 *
 * Not drawn of several workflows at the same time: failures of n8n's own parts; videos that are cleared by hand;
 * Unique Key and Credits to Keep; files; different Listing Delays; a rate limit.
 *
 * Not judged: whether an item is told its video where reads have failed but for a pause, it was cleared, has left
 * the queue beside others, or its queue ID came again before Queue > Wait; the rules of whoseVideo.ts have doubts of their own.
 */

/** What an add's response means for its client. */
export type Fate = 'told' | 'refused' | 'unknown';

const KEY_SHOWN = `The key ${SEED_ACCOUNTS.main.apiKey} is not valid any more`;

/** Longer than the timeout of any request of the node. */
const STALL_MS = 400_000;

export const ADD_FAULTS: [FaultSpec, Fate][] = [
	[{ kind: 'tooManyRequests', retryAfter: 'none' }, 'refused'],
	[{ kind: 'status', status: 400, message: 'projectId is not valid' }, 'refused'],
	[{ kind: 'status', status: 403, message: KEY_SHOWN }, 'refused'],
	[{ kind: 'errorEnvelope', message: 'Your plan was canceled' }, 'refused'],
	[{ kind: 'tooManyRequests', retryAfter: 'date', seconds: 86_400 }, 'refused'],
	[{ kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 30 }, 'refused'],
	[{ kind: 'status', status: 503, headers: { 'retry-after': '3600' } }, 'unknown'],
	[{ kind: 'envelopeStatus', word: 'ok' }, 'told'],
	[{ kind: 'errorKey', value: 'none' }, 'told'],
	[{ kind: 'latency', delayMs: 20_000, phase: 'after' }, 'told'],
	[{ kind: 'reset' }, 'unknown'],
	[{ kind: 'reset', phase: 'after' }, 'unknown'],
	[{ kind: 'status', status: 500 }, 'unknown'],
	[{ kind: 'html', phase: 'after' }, 'unknown'],
	[{ kind: 'missingField', field: 'newQueueItem.queueId' }, 'unknown'],
	[{ kind: 'cutOff', keepBytes: 30 }, 'unknown'],
	// Cut off behind the queue ID.
	[{ kind: 'cutOff', keepBytes: 140 }, 'unknown'],
	[{ kind: 'latency', delayMs: STALL_MS, phase: 'after' }, 'unknown'],
	// Words that contradict their status.
	[{ kind: 'envelopeStatus', word: 'error' }, 'told'],
	[{ kind: 'status', status: 429, keepsBody: true }, 'unknown'],
	[{ kind: 'status', status: 400, keepsBody: true }, 'unknown'],
	// Stalls behind the queue ID.
	[{ kind: 'slowBody', pieceBytes: 160, delayMs: STALL_MS / 2 }, 'unknown'],
];

const ALL_ADD_FAULTS = ADD_FAULTS.map(([fault]) => fault);

/** Answers that ask for a pause, from none to a day. */
export const PAUSES: FaultSpec[] = [
	{ kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 0 },
	{ kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 90 },
	{ kind: 'tooManyRequests', retryAfter: 'date', seconds: 3_600 },
	{ kind: 'status', status: 503, headers: { 'retry-after': '86400' } },
];

/** Faults of a look, of the list, of a file or of the account: passing ones, and one that is not. */
const READ_FAULTS: FaultSpec[] = [
	{ kind: 'status', status: 404, message: 'Queue item not found' },
	{ kind: 'status', status: 500 },
	{ kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 5 },
	...PAUSES,
	{ kind: 'reset' },
	{ kind: 'latency', delayMs: 15_000, phase: 'after' },
	{ kind: 'cutOff' },
	{ kind: 'html' },
	{ kind: 'status', status: 401, message: KEY_SHOWN },
];

const of = fc.constantFrom;
/** `other` once in `cases` cases. */
const rarely = <T, U>(cases: number, usual: T, other: fc.Arbitrary<U>) =>
	fc.oneof(
		{ withCrossShrink: true },
		{ weight: cases - 1, arbitrary: fc.constant(usual) },
		{ weight: 1, arbitrary: other },
	);
const rarelyTrue = (cases: number) => rarely(cases, false, fc.constant(true));
const no = fc.constant(false);
type Telling = false | 'field' | 'address';
const none = fc.constant<never[]>([]);
const never = fc.constant(undefined);
const ms = (min: number, max: number) =>
	fc.integer({ min: min / 100, max: max / 100 }).map((tenths) => tenths * 100);
const calls = rarely(6, [], fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 3 }));
const faultsOf = (operation: FaultSpec['operation'], specs: FaultSpec[], maxLength: number) =>
	fc
		.uniqueArray(fc.record({ nth: fc.integer({ min: 1, max: 6 }), fault: of(...specs) }), {
			selector: (each) => each.nth,
			maxLength,
		})
		.map((list) => list.map(({ nth, fault }) => ({ ...fault, operation, nth })));
const together = (...lists: fc.Arbitrary<FaultSpec[]>[]) =>
	fc.tuple(...lists).map((each) => each.flat());

interface Kind {
	operation: keyof typeof CONTINUATIONS;
	/** Whether an add waits for its video. */
	waits?: boolean;
	hasKeys?: boolean;
	/** Whether other workflows run at the same time, which have their own troubles. */
	isShared?: boolean;
}

const CONTINUATIONS = {
	add: ['retry', 'retrySaved', 'retry', 'run'],
	wait: ['retry', 'retrySaved', 'run'],
} as const;

/** When one of several executions starts. */
const startMs = fc.oneof(of(0, 0, 5_000), ms(0, 60_000));
const isQuick = ({ kind }: FaultSpec) => !['latency', 'slowBody'].includes(kind);

function executions({ operation, waits = false, hasKeys = false, isShared = false }: Kind) {
	const isPlayed = (fault: FaultSpec) => !isShared || isQuick(fault);
	const reads = READ_FAULTS.filter(isPlayed);
	const readFaults = together(
		waits ? faultsOf('queue.getProgress', reads, 2) : none,
		waits ? faultsOf('video.getAll', reads, 1) : none,
		waits && !isShared ? faultsOf('video.file', reads.slice(0, 2), 1) : none,
		hasKeys ? faultsOf('account.get', reads, 1) : none,
	);
	const faults = together(
		operation === 'add' ? faultsOf('queue.add', ALL_ADD_FAULTS.filter(isPlayed), 3) : none,
		isShared ? rarely(3, [], readFaults) : readFaults,
	);
	const outage = fc.record({
		atMs: ms(0, 20_000),
		forMs: fc.oneof(ms(100, 4_000), ms(100, 40_000)),
	});
	const execution = fc
		.record({
			how: of(...(isShared ? (['retry'] as const) : CONTINUATIONS[operation])),
			afterMs: isShared ? startMs : rarely(4, 0, ms(0, 30_000)),
			isElsewhere: waits ? rarelyTrue(8) : no,
			// An ordinary day has no trouble at all.
			faults: rarely(isShared ? 6 : 2, [], faults),
			failing: fc.record({
				credential: isShared ? none : calls,
				keys: hasKeys ? calls : none,
				overwritten: hasKeys ? calls : none,
			}),
			outage: isShared ? never : rarely(8, undefined, outage),
			changesKey: waits && !isShared ? rarelyTrue(8) : no,
			executionTimeout: waits ? rarely(12, undefined, of(40, 80)) : never,
			stopAfterMs: rarely(8, undefined, fc.oneof(ms(0, 3_000), ms(0, 60_000))),
			killAfterMs: hasKeys ? rarely(5, undefined, ms(0, 8_000)) : never,
		})
		.map(({ failing, ...drawn }): Execution => {
			// A key that another worker has overwritten is recorded again unless n8n is killed, or its store
			// fails: the documents say so.
			const isSure = drawn.killAfterMs === undefined && failing.keys.length === 0;
			return { ...drawn, failing: isSure ? failing : { ...failing, overwritten: [] } };
		});
	return fc.array(execution, { minLength: 1, maxLength: isShared ? 2 : 3 });
}

/** The settings that n8n gives every node. */
const settings = fc
	.record({
		onError: of('stopWorkflow', 'stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
		tries: of(1, 1, 2, 3),
		waitBetweenTries: of(1_000, 0, 5_000),
		executeOnce: rarelyTrue(16),
	})
	.map(({ tries, ...rest }) => ({ ...rest, retryOnFail: tries > 1, maxTries: tries }));

const numericQueueIds = rarely(6, false, of<boolean | 'long'>(true, 'long'));

/** What most plans and workflows lack. */
const ALONE = { isTyped: false, pauseMs: 0, saved: {} };
const NOBODY_ELSE = {
	service: {},
	changes: [],
	slowness: [],
	videos: [],
	strangers: [],
	credits: 1_000,
};

const PROJECT_OF_ROW = byId('={{ $json.project }}');
const ID_OF_ROW = '={{ $json.queueId }}';
const OTHER_PROMPT = { customPrompt: '={{ $json.prompt }} / anew' };

const ADD = { resource: 'queue', operation: 'add' };
const someTries = of({ maxTries: 1 }, { maxTries: 2 });

/** A plan of Queue > Add, maybe with Unique Key and Credits to Keep. */
export function addPlans({ hasKeys = false }: { hasKeys?: boolean }): fc.Arbitrary<Plan> {
	const row = fc.record({
		account: rarely(6, 0, fc.constant(1)),
		prompt: rarely(4, 'own' as const, of('none', 'list', 'number')),
		overwrite: rarely(3, false, of(true, 'TRUE', 1, '', 'perhaps')),
		isAway: rarelyTrue(14),
		key: hasKeys ? rarely(4, 'own', of('row 0', 7, '7', '')) : fc.constant('own'),
		keep: hasKeys
			? rarely(6, 2, fc.oneof(of(0, '3', 'abc', -1), of('', ' ', undefined, [])))
			: fc.constant(2),
		cost: hasKeys ? rarely(6, 1, of(2, '1.5', 0, '')) : fc.constant(1),
	});
	return fc
		.record({
			rows: fc.array(row, { minLength: 1, maxLength: 6 }),
			settings,
			options: fc.record({
				promptEnd: of('', '', ' / {{ $now.toISO() }}', ' / {{ Math.random() }}'),
				tries: rarely(3, {}, someTries),
				isBatched: rarelyTrue(6),
				isUnique: of(true, true, true, false),
				isGuarded: of(false, true),
				withoutValue: rarely(
					8,
					undefined,
					of('projectId', 'uniqueKey', 'creditsToKeep', 'creditsPerVideo', 'batchSize'),
				),
			}),
			credits: rarely(hasKeys ? 2 : 5, 1_000, fc.nat(8)),
			executions: executions({ operation: 'add', hasKeys }),
			numericQueueIds,
		})
		.map(({ rows, options, credits, numericQueueIds: ids, ...drawn }) => {
			const { promptEnd, tries, isBatched, isUnique, isGuarded, withoutValue } = options;
			const fill = <T>(name: string, value: T) =>
				name === withoutValue ? '={{ $json.nothing }}' : value;
			const batch = { batchSize: fill('batchSize', 2), batchInterval: 700 };
			const uniqueKey = fill('uniqueKey', '={{ $json.key }}');
			const creditsToKeep = fill('creditsToKeep', '={{ $json.keep }}');
			const creditsPerVideo = fill('creditsPerVideo', '={{ $json.cost }}');
			const workflow = {
				...ALONE,
				...drawn,
				rows: rows.map(({ account, key, prompt, ...rest }, index) => {
					const prompts = { number: 1_000 + index, list: ['Film', index], none: undefined };
					const own = `Film 0-${index}`;
					return {
						...rest,
						account,
						// Each row has a project of its own, by which its requests are known.
						project: `p${account}-${index}`,
						prompt: prompt === 'own' || promptEnd !== '' ? own : prompts[prompt],
						key: key === 'own' ? `row ${index}` : key,
					};
				}),
				// A list is no prompt, and a part of a text is.
				saved: promptEnd === '' ? {} : OTHER_PROMPT,
				parameters: {
					...ADD,
					projectId: byId(fill('projectId', PROJECT_OF_ROW.value)),
					customPrompt: `={{ $json.prompt }}${promptEnd}`,
					overwriteSettings: '={{ $json.overwrite }}',
					...(isBatched && { requestOptions: { batching: { batch } } }),
					options: {
						...tries,
						...(hasKeys && isUnique && { uniqueKey }),
						...(hasKeys && isGuarded && { creditsToKeep, creditsPerVideo }),
					},
				},
			};
			return { ...NOBODY_ELSE, workflows: [workflow], credits, service: { numericQueueIds: ids } };
		});
}

/** Delays of a request, by its operation. */
const delayed = (delays: Partial<Record<Operation, number>>): FaultSpec[] =>
	Object.entries(delays)
		.filter(([, delayMs]) => delayMs > 0)
		.map(([operation, delayMs]) => ({
			...{ kind: 'latency', delayMs, phase: 'before' },
			operation: operation as Operation,
		}));

/** Looks that take up to a minute, or everything a moment. */
const slowness = fc
	.record({
		delayMs: of(300, 3_000, 20_000, 50_000),
		phase: of('after', 'before'),
	})
	.map(({ delayMs, phase }): FaultSpec[] =>
		delayed({
			'queue.getProgress': delayMs,
			'video.getAll': Math.min(delayMs, 5_000),
			'queue.add': Math.min(delayMs, 1_000),
		}).map((fault) => ({ ...fault, phase }) as FaultSpec),
	);

/** A service as it can be met, and what happens to the videos of a batch. */
const day = fc
	.record({
		listingDelay: rarely(6, LISTING_DELAY, of(5, 15)),
		// Of the time by which a list may be behind or, below 0, before the progress.
		lag: of(0, 0, 0.8, -0.3, -0.8, 0.1),
		/** How long after the end of an item its progress tells the address, where it does. */
		urlDelayMs: of(0, 0, 4_000),
		/** How long the service needs for a video: the same for all, or for each its own. */
		processingMs: of<number>(5_000, 20_000, 120_000, 1_000, 13_000),
		videos: fc.array(
			fc.record(
				{
					processingMs: ms(1_000, 40_000),
					fails: rarelyTrue(7),
					clearedAfterMs: rarely(12, undefined, ms(0, 60_000)),
				},
				{ requiredKeys: ['fails'] },
			),
			{ maxLength: 6 },
		),
		changes: rarely(
			8,
			[],
			fc
				.array(
					fc.record({
						atMs: ms(0, 90_000),
						service: fc.record({
							entriesNameQueueId: of<Telling>(false, 'field', 'address'),
							videoUrlInDetails: fc.boolean(),
						}),
					}),
					{ minLength: 1, maxLength: 2 },
				)
				.map((all) => all.sort((one, other) => one.atMs - other.atMs)),
		),
		slowness: rarely(8, [], slowness),
		strangers: rarely(
			3,
			[],
			fc.array(fc.record({ atMs: ms(0, 90_000), processingMs: ms(0, 40_000) }), { maxLength: 3 }),
		),
		service: fc.record({
			maxAtOnce: of(null, 1, 3),
			rateLimit: of({ max: 100, windowMs: 900_000 }, false as const),
			etags: of(...ETAGS),
			signedUrls: fc.boolean(),
			entriesNameQueueId: rarely(4, false as const, of('field', 'address')),
			videoUrlInDetails: rarely(4, false, of<true | 'everyOther' | 2>(true, 'everyOther', 2)),
			endedItemsLeaveAfterMs: rarely(6, null, of(0, 4_000)),
			finishedItemsStay: fc.boolean(),
			listCacheMs: rarely(12, 0, of(30_000)),
			numericQueueIds,
			reuseQueueIds: rarely(6, null, of(0, 0, 20_000, 300_000)),
			mergeOrders: rarely(8, false as const, of('equal', 'project')),
			chargeMergedOrders: fc.boolean(),
			numberByAccount: rarelyTrue(4),
		}),
	})
	.map(({ listingDelay, lag, processingMs, urlDelayMs, service, ...others }) => ({
		...others,
		listingDelay,
		credits: 1_000,
		service: {
			...service,
			durations: {
				pendingMs: 0,
				renderingMs: 0,
				processingMs,
				// A list that is late by its cache is not late for another reason, too.
				logDelayMs: service.listCacheMs > 0 ? 0 : Math.round(lag * listingDelay * 1_000),
				urlDelayMs,
			},
		},
	}));
type Day = typeof day extends fc.Arbitrary<infer T> ? T : never;

/** Plays workflows beside each other on a day. They agree on its Listing Delay. */
function createPlan(workflows: Workflow[], { listingDelay, ...others }: Day): Plan {
	return {
		...others,
		workflows: workflows.map((workflow, number) => {
			const { waitOptions: own, ...parameters } = workflow.parameters;
			const waits = own && { waitOptions: { ...(own as object), listingDelay } };
			return {
				...workflow,
				settings: {
					...workflow.settings,
					executeOnce: workflow.settings.executeOnce && workflow.perRound === undefined,
				},
				rows: workflow.rows.map((each, index) => ({
					...each,
					// None is the beginning of another one.
					prompt: `Film ${number}-${workflow.rows.length > 10 ? 100 + index : index}`,
					project: others.service.numberByAccount
						? (each.project as string).replace('p1', 'p0')
						: each.project,
				})),
				parameters: { ...parameters, ...waits },
			};
		}),
	};
}

/** The rows of one project, mostly; of more than one, of two accounts, or with two keys of one account. */
const batchRows = (maxLength: number) =>
	fc
		.record({
			isOneProject: of(true, true, false),
			rows: fc.array(
				fc.record({
					account: rarely(5, 0, of(1, 2)),
					group: fc.nat(1),
					isAway: rarelyTrue(20),
					key: rarely(12, 'own', of('row 0', '')),
				}),
				{ minLength: 1, maxLength },
			),
		})
		.map(({ isOneProject, rows }) =>
			rows.map(({ group, key, ...each }, index) => ({
				...each,
				project: `p${each.account % 2}-${isOneProject ? 0 : group}`,
				overwrite: false,
				key: key === 'own' ? `row ${index}` : key,
				keep: 2,
				cost: 1,
			})),
		);

/** Wait Options, mostly the default ones. */
const waitOptions = of<INodeParameters>(
	{},
	{},
	{},
	{ pollingInterval: 5, timeout: 60 },
	{ pollingInterval: '3', timeout: 30 },
);
const videosAtOnce = rarely(
	3,
	{},
	of({ videosAtOnce: 1 }, { videosAtOnce: 2 }, { videosAtOnce: 3 }),
);

const GENERATE: INodeParameters = {
	resource: 'video',
	operation: 'generate',
	projectId: PROJECT_OF_ROW,
	customPrompt: '={{ $json.prompt }}',
};

/** Video > Generate: a batch as people run them. */
const batches = (isShared: boolean): fc.Arbitrary<Workflow> =>
	fc
		.record({
			rows: batchRows(isShared ? 4 : 6),
			perRound: rarely(6, undefined, of(1, 2)),
			settings,
			waiting: isShared ? rarely(4, {}, waitOptions) : waitOptions,
			atOnce: isShared ? rarely(3, {}, videosAtOnce) : videosAtOnce,
			downloadVideo: isShared ? no : rarelyTrue(4),
			tries: rarely(4, {}, someTries),
			isUnique: isShared ? no : rarelyTrue(4),
			isGuarded: isShared ? no : rarelyTrue(6),
			executions: executions({ operation: 'add', waits: true, isShared }),
			isTyped: fc.boolean(),
		})
		.map(({ downloadVideo, isGuarded, isUnique, tries, waiting, atOnce, ...drawn }) => ({
			...ALONE,
			...drawn,
			saved: isShared ? {} : { waitOptions: {}, ...OTHER_PROMPT },
			parameters: {
				...GENERATE,
				downloadVideo,
				waitOptions: { ...waiting, ...atOnce },
				options: {
					...tries,
					...(isUnique && { uniqueKey: '={{ $json.key }}' }),
					...(isGuarded && { creditsToKeep: 2, creditsPerVideo: 1 }),
				},
			},
		}));

/** Queue > Wait for items that an earlier execution has added. */
const waits = (isShared: boolean): fc.Arbitrary<Workflow> =>
	fc
		.record({
			rows: batchRows(isShared ? 3 : 6),
			perRound: rarely(6, undefined, of(1, 2)),
			settings,
			pauseMs: of(0, 3_000, 60_000, 3_600_000),
			executions: executions({ operation: 'wait', waits: true, isShared }),
			options: fc.record({
				waitOptions,
				queuedAt: of('={{ $json.createdAt }}', '={{ $json.createdAt }}', ''),
				projectId: rarely(4, PROJECT_OF_ROW, fc.constant(byId(''))),
				downloadVideo: isShared ? no : rarelyTrue(4),
			}),
		})
		.map(({ options, ...drawn }) => ({
			...ALONE,
			...drawn,
			rows: drawn.rows.map((each) => ({ ...each, isAway: false })),
			// What came out of an earlier round stays as it was.
			saved:
				drawn.perRound === undefined
					? {
							queueId: '={{ $json.otherId }}',
							queuedAt: options.queuedAt && '={{ $json.otherDate }}',
						}
					: {},
			parameters: { resource: 'queue', operation: 'wait', queueId: ID_OF_ROW, ...options },
		}));

/** The same of another account, which waits with mistakes of its own. */
const ofOther = (workflows: fc.Arbitrary<Workflow>): fc.Arbitrary<Workflow> =>
	fc
		.tuple(
			workflows,
			of({}, { completedStatuses: 'completed, processing' }),
			of(PROJECT_OF_ROW, byId('p0-0'), byId('')),
		)
		.map(([workflow, words, projectId]) => {
			const { parameters, rows } = workflow;
			const waitOptions = { ...(parameters.waitOptions as INodeParameters), ...words, timeout: 60 };
			const mistaken = parameters.operation === 'wait' ? { projectId, waitOptions } : {};
			return {
				...workflow,
				rows: rows.map((row) => ({
					...row,
					account: 1,
					project: (row.project as string).replace('p0', 'p1'),
				})),
				parameters: { ...parameters, ...mistaken },
			};
		});

const toAdds = (workflow: Workflow): Workflow => ({
	...workflow,
	saved: {},
	parameters: { ...GENERATE, ...ADD },
});

const alone = (workflows: fc.Arbitrary<Workflow>) =>
	fc.tuple(workflows, day).map(([workflow, drawn]) => createPlan([workflow], drawn));
export const batchPlans = alone(batches(false));
export const waitPlans = alone(waits(false));

/**
 * Runs that an add ends, in whatever turn the others wait: for their run, lane, key, guard, list or account, for a pause
 * between batches, or after a failure that passes.
 */
export const endingPlans: fc.Arbitrary<Plan> = fc
	.record({
		workflow: batches(false),
		day,
		projects: fc.integer({ min: 1, max: 3 }),
		options: fc.record({ isAdd: rarelyTrue(5), isGuarded: fc.boolean(), isUnique: fc.boolean() }),
		batching: rarely(3, {}, of({ batching: { batch: { batchSize: 2, batchInterval: 700 } } })),
		nth: of(1, 1, 2, 3),
		failure: of(...ALL_ADD_FAULTS.filter(isQuick)),
		others: faultsOf('queue.add', [...ALL_ADD_FAULTS.slice(0, 1), ...PAUSES.slice(0, 2)], 2),
		delays: fc.record({
			'queue.add': of(0, 0, 300, 3_000),
			'video.getAll': of(0, 0, 300, 5_000),
			'account.get': of(0, 300, 3_000),
		}),
	})
	.map(({ workflow, day: drawn, projects, options, batching, nth, failure, others, delays }) => {
		const { parameters, rows } = workflow;
		const fault = { ...failure, operation: 'queue.add' as const, nth };
		const faults = [fault, ...others.filter((other) => other.nth !== nth)];
		const ending: Workflow = {
			...workflow,
			settings: { ...workflow.settings, onError: 'stopWorkflow' },
			executions: [{ ...TROUBLE_FREE, how: 'run', faults }],
			rows: rows.map((row, index) => ({ ...row, account: 0, project: `p0-${index % projects}` })),
			parameters: {
				...(options.isAdd ? toAdds(workflow).parameters : parameters),
				requestOptions: batching,
				options: {
					...(parameters.options as INodeParameters),
					...(options.isUnique && { uniqueKey: '={{ $json.key }}' }),
					...(options.isGuarded && { creditsToKeep: 2, creditsPerVideo: 1 }),
				},
			},
		};
		return createPlan([ending], { ...drawn, slowness: delayed(delays) });
	});

/** More rows than a run sends requests at once, whose looks may take a minute. */
export const crowdedPlans: fc.Arbitrary<Plan> = fc
	.record({
		workflow: fc.oneof(batches(true), waits(true)),
		day,
		count: fc.integer({ min: 66, max: 120 }),
		projects: of(120, 40, 7),
		perRound: rarely(4, undefined, of(20)),
		slowness: rarely(2, [], slowness),
	})
	.map(({ workflow, day: drawn, count, projects, perRound, slowness: slow }) => {
		const crowd: Workflow = {
			...workflow,
			perRound,
			settings: { ...workflow.settings, retryOnFail: false, maxTries: 1 },
			rows: Array.from({ length: count }, (_, index) => ({
				...workflow.rows[0],
				...{ key: `row ${index}`, isAway: false },
				project: `p${workflow.rows[0]?.account === 1 ? 1 : 0}-${index % projects}`,
			})),
			executions: workflow.executions.slice(0, 1),
		};
		const durations = { ...drawn.service.durations, processingMs: 20_000 };
		const service = { ...drawn.service, durations, maxAtOnce: null, rateLimit: false as const };
		return createPlan([crowd], { ...drawn, service, strangers: [], slowness: slow });
	});

/** A model calls the node in one of the ways: alone, it adds videos in groups, some of which are identical orders. */
function models(ways: Way[], parameters: INodeParameters): fc.Arbitrary<Workflow> {
	const isAlone = parameters.operation === 'add';
	const faults = faultsOf('queue.add', ALL_ADD_FAULTS.filter(isQuick), 5);
	const group = fc.array(fc.nat(1), { minLength: 1, maxLength: 3 });
	return fc
		.record({
			way: of(...ways),
			insists: isAlone ? fc.boolean() : no,
			groups: fc.array(group, { minLength: 1, maxLength: isAlone ? 3 : 1 }),
			isGuarded: isAlone ? rarelyTrue(4) : no,
			account: rarely(3, 0, fc.constant(2)),
			settings,
			afterMs: startMs,
			faults: isAlone ? faults : rarely(6, [], faults),
		})
		.map(({ way, insists, groups, isGuarded, account, settings: own, ...drawn }) => {
			// One wish, in other words each time.
			const orders = insists ? [0, 1, 2, 3, 4] : groups.flat();
			const onError = own.onError === 'continueRegularOutput' ? own.onError : undefined;
			return {
				...ALONE,
				model: { way, insists, groups: groups.map(({ length }) => length) },
				rows: orders.map((order) => ({
					account,
					project: 'p0-0',
					prompt: `Film 0-${order}`,
					overwrite: false,
					keep: 2,
					cost: 1,
				})),
				settings: { ...own, onError, executeOnce: false },
				executions: [{ ...TROUBLE_FREE, ...drawn, how: 'run' }],
				parameters: {
					...parameters,
					options: isGuarded ? { creditsToKeep: 2, creditsPerVideo: 1 } : {},
					projectId: byId("={{ $fromAI('project', 'the project', 'string') }}"),
					customPrompt: "={{ $fromAI('prompt', 'the prompt', 'string') }}",
				},
			};
		});
}

/** A plan of a model that calls Queue > Add. */
export const modelPlans = (way: Way): fc.Arbitrary<Plan> =>
	fc
		.tuple(models([way], ADD), rarely(5, 1_000, fc.integer({ min: 1, max: 6 })))
		.map(([workflow, credits]) => ({ ...NOBODY_ELSE, credits, workflows: [workflow] }));

/** The same with Max Videos. */
export const limited = (plans: fc.Arbitrary<Plan>): fc.Arbitrary<Plan> =>
	fc.tuple(plans, fc.integer({ min: 1, max: 4 })).map(([plan, maxVideos]) => ({
		...plan,
		workflows: plan.workflows.map(({ parameters, ...workflow }) => ({
			...workflow,
			parameters: {
				...parameters,
				options: { ...(parameters.options as INodeParameters), maxVideos },
			},
		})),
	}));

/** Plans of several workflows at the same time. They shrink to two of one row, which start together. */
export const severalPlans: fc.Arbitrary<Plan> = fc
	.tuple(
		fc.array(
			fc.oneof(
				{ weight: 16, arbitrary: batches(true) },
				{
					weight: 8,
					arbitrary: models(Object.keys(WAYS) as Way[], {
						...GENERATE,
						downloadVideo: false,
						waitOptions: {},
					}),
				},
				{ weight: 4, arbitrary: ofOther(fc.oneof(waits(true), waits(true), batches(true))) },
				// Videos that are made beside the lanes.
				{ weight: 1, arbitrary: fc.oneof(waits(true), batches(true).map(toAdds)) },
			),
			{ minLength: 2, maxLength: 5 },
		),
		day,
	)
	.map(([workflows, { videos, strangers, service, ...others }]) => {
		const { durations, numericQueueIds: ids, ...settled } = service;
		const processingMs = Math.min(durations.processingMs, 40_000);
		const plan = createPlan(workflows, {
			...others,
			videos: videos.map((video) => ({ ...video, clearedAfterMs: undefined })),
			// Mostly, nobody else makes videos.
			strangers: strangers.length > 2 ? strangers : [],
			// Its plans are played in a moment, and its queue IDs are known to their clients.
			service: {
				...settled,
				rateLimit: false,
				numericQueueIds: ids !== false,
				durations: { ...durations, processingMs },
			},
		});
		for (const [number, { executions: played }] of plan.workflows.entries()) {
			for (const each of played) {
				each.faults = each.faults.map((fault) =>
					fault.operation === 'queue.add' ? { ...fault, containing: `Film ${number}-` } : fault,
				);
			}
		}
		return plan;
	});
