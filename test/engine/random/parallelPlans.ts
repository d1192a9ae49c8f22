import fc from 'fast-check';
import type { SettingsChange } from '../../../sandbox/domain/settings';
import type { FaultSpec } from '../../../sandbox/faults/FaultSpec';
import { ADD_FAULTS, batch, faultsOf, ms, of, rarely, READ_FAULTS } from './plans';
import type { PlannedVideo } from './Session';

/*
 * Random executions at the same time. Every plan shrinks to two executions of one row, which start
 * together, and no trouble.
 *
 * Not drawn: more than one process; another account; responses that come late, and a rate limit; clears;
 * Unique Key and Credits to Keep; Items per Batch; agents whose tools fail, are retried or are stopped;
 * files; executions of different Listing Delays; a service that begins to tell, or stops, in the middle of a day.
 */

/** The makers whose videos take turns: the node, and the two kinds of agents (see runTools). */
const TURN_TAKERS = ['node', 'tool', 'steps'] as const;

/** Queue > Add, and Queue > Wait after it, take no turns. */
const STRANGERS = ['add', 'addAndWait'] as const;

/** The projects of the account. */
export const PROJECTS = ['project-product-teaser', 'project-city-tour'] as const;

/** An execution, and what happens to it. */
export interface Execution {
	maker: (typeof TURN_TAKERS)[number] | (typeof STRANGERS)[number];
	/** The project of each row, or of each call of an agent. */
	projects: (typeof PROJECTS)[number][];
	afterMs: number;
	/** Whether its credential is another one, with the same key and address, typed differently. */
	isTyped: boolean;
	/** Whether it uses another key of the account. */
	hasOtherKey: boolean;
	/** Undefined for as many as can be told apart. */
	videosAtOnce: number | undefined;
	/** The workflow's own timeout, in seconds. */
	executionTimeout: number | undefined;
	timeout: number;
	settings: {
		onError: 'stopWorkflow' | 'continueErrorOutput';
		retryOnFail: boolean;
		maxTries: number;
		waitBetweenTries: number;
	};
	/** Faults of its own adds. */
	faults: FaultSpec[];
	/** Executions > Retry begins this long after its failure. */
	retryAfterMs: number | undefined;
	stopAfterMs: number | undefined;
}

export interface ParallelPlan {
	executions: Execution[];
	service: SettingsChange;
	/** The accepted videos, in their order; others have the service's durations. */
	videos: PlannedVideo[];
	/** Videos of the first project that somebody else queues by hand. */
	strangers: { atMs: number; processingMs: number }[];
	/** Faults of progress checks and lists. */
	faults: FaultSpec[];
	listingDelay: number;
}

const QUICK_FAULTS = ADD_FAULTS.map(([fault]) => fault).filter(
	({ kind }) => !['latency', 'slowBody'].includes(kind),
);

type Trouble = Pick<
	Execution,
	'videosAtOnce' | 'timeout' | 'faults' | 'retryAfterMs' | 'stopAfterMs' | 'executionTimeout'
>;

const NO_TROUBLE: Trouble = {
	videosAtOnce: undefined,
	timeout: 1_800,
	faults: [],
	retryAfterMs: undefined,
	stopAfterMs: undefined,
	executionTimeout: undefined,
};

const trouble: fc.Arbitrary<Trouble> = fc.record({
	videosAtOnce: rarely<number | undefined>(4, undefined, of(1, 2, 3)),
	timeout: rarely(8, 1_800, of(30)),
	faults: rarely(2, [], faultsOf('queue.add', QUICK_FAULTS, 2)),
	retryAfterMs: rarely<number | undefined>(2, undefined, ms(0, 30_000)),
	stopAfterMs: rarely<number | undefined>(3, undefined, ms(0, 60_000)),
	executionTimeout: rarely<number | undefined>(6, undefined, of(40, 80)),
});

const execution: fc.Arbitrary<Execution> = fc
	.record({
		maker: rarely<Execution['maker']>(3, 'node', of(...TURN_TAKERS)),
		projects: fc.array(rarely(3, PROJECTS[0], of(...PROJECTS)), { minLength: 1, maxLength: 3 }),
		afterMs: fc.oneof(of(0, 0, 5_000), ms(0, 60_000)),
		isTyped: fc.boolean(),
		hasOtherKey: rarely(3, false, fc.constant(true)),
		settings: fc.record({
			onError: of('stopWorkflow', 'continueErrorOutput'),
			retryOnFail: rarely(3, false, fc.constant(true)),
			maxTries: of(2, 3),
			waitBetweenTries: of(0, 5_000),
		}),
		trouble: rarely(3, NO_TROUBLE, trouble),
	})
	.map(({ trouble: own, ...drawn }) => ({
		...drawn,
		...(drawn.maker === 'node' ? own : NO_TROUBLE),
	}));

/** A service whose plans are played in a moment, and whose queue IDs are known to their clients. */
function toQuick({ durations, numericQueueIds, ...service }: SettingsChange): SettingsChange {
	const processingMs = Math.min(durations?.processingMs ?? 0, 40_000);
	return {
		...{ ...service, rateLimit: false, numericQueueIds: numericQueueIds !== false },
		durations: { ...durations, processingMs },
	};
}

export const parallelPlans: fc.Arbitrary<ParallelPlan> = fc
	.record({
		executions: fc.array(execution, { minLength: 2, maxLength: 5 }),
		batch,
		faults: rarely(
			6,
			[],
			fc
				.tuple(
					faultsOf('queue.getProgress', READ_FAULTS, 2),
					faultsOf('video.getAll', READ_FAULTS, 1),
				)
				.map((lists) => lists.flat().filter(({ kind }) => kind !== 'latency')),
		),
		stranger: rarely<(typeof STRANGERS)[number] | 'hand' | undefined>(
			...([5, undefined, of('hand', ...STRANGERS)] as const),
		),
	})
	.map(({ batch: { listingDelay = 10, videos, service, strangers }, stranger, ...rest }) => ({
		...{ ...rest, listingDelay, service: toQuick(service) },
		executions: rest.executions.map((each, index) =>
			index === 0 && stranger !== undefined && stranger !== 'hand'
				? { ...each, ...NO_TROUBLE, maker: stranger }
				: each,
		),
		videos: videos.map((video) => ({ ...video, clearedAfterMs: undefined })),
		strangers: stranger === 'hand' ? strangers : [],
	}));
