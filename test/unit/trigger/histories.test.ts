import fc from 'fast-check';
import type { ListedLog, Step, Tagging } from '../../support/trigger/VideoHistory';
import { VideoHistory } from '../../support/trigger/VideoHistory';

/**
 * `npm run test:long` sets a larger number, with a new seed each time; a failure prints its seed.
 */
const LONG_RUNS = Number(process.env.HISTORIES ?? 0);
const SETTINGS = LONG_RUNS > 0 ? { numRuns: LONG_RUNS } : { numRuns: 1_500, seed: 3 };

const START = Date.parse('2026-01-15T12:00:00.000Z');
const YEAR_MS = 365 * 24 * 3_600_000;
/** How dates end, with the hours that they are ahead of UTC, or the milliseconds that they add. */
const ZONES = { '+09:00': 9, '-03:30': -3.5, '+00:00': 0, '': 0 };
const FRACTIONS = { Z: 0, '.000000Z': 0, '.5Z': 500 };
const NO_DATES = [
	...['soon', '', null, 5, '9999-12-31T23:59:59Z'],
	...['2020-13-01T00:00:00Z', '2020-01-01Tsoon+02:00'],
];
const PROJECTS = ['p', 'q', 'r'];
const share = fc.double({ min: 0, max: 1, noNaN: true });

/** A date as a log has it, and the time that it means; 0 if it is not a date. */
interface LogDate {
	createdAt: string | number | null;
	time: number;
}

/** Dates as services write them, and dates that no service should write. */
const date: fc.Arbitrary<LogDate> = fc.oneof(
	{ weight: 4, arbitrary: fc.constant(createDate(0)) },
	{
		weight: 4,
		arbitrary: fc.integer({ min: -9, max: 9 }).map((minutes) => createDate(minutes * 60_000)),
	},
	{
		weight: 2,
		arbitrary: fc
			.tuple(fc.integer({ min: -5, max: 5 }), fc.constantFrom(...Object.entries(ZONES)))
			.map(([hours, [zone, zoneHours]]) => ({
				createdAt: toIso(hours * 3_600_000).replace('Z', zone),
				time: START + (hours - zoneHours) * 3_600_000,
			})),
	},
	{
		weight: 2,
		arbitrary: fc
			.tuple(fc.integer({ min: -9, max: 9 }), fc.constantFrom(...Object.entries(FRACTIONS)))
			.map(([minutes, [fraction, fractionMs]]) => ({
				createdAt: toIso(minutes * 60_000).replace('.000Z', fraction),
				time: START + minutes * 60_000 + fractionMs,
			})),
	},
	{ weight: 1, arbitrary: fc.constantFrom(createDate(-YEAR_MS), createDate(5 * YEAR_MS)) },
	{
		weight: 2,
		arbitrary: fc.constantFrom(...NO_DATES).map((createdAt) => ({ createdAt, time: 0 })),
	},
);

function createDate(offsetMs: number): LogDate {
	return { createdAt: toIso(offsetMs), time: START + offsetMs };
}

function toIso(offsetMs: number): string {
	return new Date(START + offsetMs).toISOString();
}

/** Gives each log its own ID, in various forms; some logs have none. */
function identifyLogs(steps: Step[]): Step[] {
	let count = 0;
	const createId = (): unknown => {
		count += 1;
		if (count % 11 === 0) return null;
		if (count % 7 === 0) return `${'very long '.repeat(200)}${count}`;
		return count % 5 === 0 ? count : `log-${count}`;
	};
	return steps.map((step) =>
		step.kind === 'finish'
			? {
					...step,
					logs: step.logs.map((log) => {
						const id = createId();
						return { ...log, id, url: `https://files.example.com/${count}.mp4` } as ListedLog;
					}),
				}
			: step,
	);
}

const log = fc
	.tuple(date, fc.constantFrom(...PROJECTS))
	.map(([logDate, projectId]) => ({ ...logDate, projectId }));
const poll = fc.record({
	kind: fc.constant('poll' as const),
	outcome: fc.constantFrom(
		'saved' as const,
		'saved' as const,
		'failed' as const,
		'abandoned' as const,
	),
});
const step = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.record({
			kind: fc.constant('finish' as const),
			logs: fc.array(log, { minLength: 1, maxLength: 4 }),
		}),
	},
	{ weight: 6, arbitrary: poll },
	{
		weight: 3,
		arbitrary: fc.record({
			kind: fc.constantFrom(
				'remove' as const,
				'restore' as const,
				'shuffle' as const,
				'repeat' as const,
			),
			share,
		}),
	},
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant('watch' as const),
			projectIds: fc.subarray(PROJECTS),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant('clock' as const),
			byMinutes: fc.constantFrom(-100_000, -90, -1, 30, 58, 59, 60, 100_000),
		}),
	},
) as fc.Arbitrary<Step>;
const steps = fc
	.array(step, { minLength: 1, maxLength: 40 })
	.map((all) => identifyLogs([...all, { kind: 'poll', outcome: 'saved' }]));

/**
 * Creates the logs that an account has before the trigger exists: one a second on average, in
 * groups of 300 with the same time.
 */
function createExisting(count: number): ListedLog[] {
	return Array.from({ length: count }, (_, i) => ({
		id: `existing-${i}`,
		projectId: PROJECTS[i % 3],
		...(i % 97 === 0 ? { createdAt: 'soon', time: 0 } : createDate(-(i - (i % 300)) * 1_000)),
	}));
}

const sizes = fc.oneof(
	{ weight: 60, arbitrary: fc.constantFrom(0, 1, 2, 30) },
	{ weight: 2, arbitrary: fc.constantFrom(4_999, 5_000, 5_001) },
	{ weight: 1, arbitrary: fc.constantFrom(9_999, 10_000, 10_001, 20_000) },
);
const saving = fc.constantFrom('always' as const, 'withExecutions' as const);
const tagging = fc.constantFrom<Tagging>('none', 'strong', 'constant', 'alwaysUnchanged');

describe('Whatever happens to account, service and n8n', () => {
	test('every video is emitted once, oldest first, and the state stays small', () => {
		fc.assert(
			fc.property(
				sizes,
				fc.boolean(),
				saving,
				tagging,
				steps,
				(size, emitExisting, how, tags, all) => {
					const history = new VideoHistory(createExisting(size), emitExisting, how, tags);
					for (const each of all) history.take(each);
				},
			),
			SETTINGS,
		);
	}, 3_600_000);
});
