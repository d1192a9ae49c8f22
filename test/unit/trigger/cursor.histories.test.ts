import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { hashText } from '../../../nodes/VideoGeneration/api/hash';
import { toText } from '../../../nodes/VideoGeneration/api/response';
import type { Cursor } from '../../../nodes/VideoGeneration/trigger/cursor';
import { findTag, keepTag, selectNewVideos } from '../../../nodes/VideoGeneration/trigger/cursor';

/**
 * `npm run test:long` sets a larger number, with a new seed each time; a failure prints its seed.
 */
const LONG_RUNS = Number(process.env.HISTORIES ?? 0);
const SETTINGS = LONG_RUNS > 0 ? { numRuns: LONG_RUNS } : { numRuns: 800, seed: 3 };

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

/** A log. The node ignores `time`, which is what its date means; 0 if it is not a date. */
type ListedLog = IDataObject & { time: number };

/** An event in the account, or on n8n's machine. */
type Step =
	| { kind: 'finish'; logs: ListedLog[] }
	| { kind: 'remove' | 'restore' | 'shuffle' | 'repeat'; share: number }
	| { kind: 'poll' }
	/** Time passes, or the clock of n8n's machine is set. */
	| { kind: 'clock'; byMinutes: number };

/** The limits that `Cursor` promises for accounts of any size. */
const ALWAYS_REMEMBERED = 5_000;
const STATE_LIMIT_BYTES = 256_000;

/**
 * The tags that the service sends. A `constant` tag and a service for which the log is `alwaysUnchanged`
 * are broken.
 */
type Tagging = 'none' | 'strong' | 'constant' | 'alwaysUnchanged';

const ACCOUNT = 'abc';
const HOUR_MS = 3_600_000;

/**
 * An account and a trigger over time, compared with the simplest reference: the set of all entries that
 * were ever listed. Throws as soon as the two differ. Not drawn: what n8n, the credential or the node's
 * settings do to the state (engine/triggerHistories.test.ts).
 */
class VideoHistory {
	private readonly removed: ListedLog[] = [];

	private readonly everListed = new Map<string, number>();

	/** The state that n8n keeps, as JSON. */
	private state: string | undefined;

	private now = START;

	/** Clock times of all full reads that n8n may remember. */
	private readonly fullReads: number[] = [];

	constructor(
		private listed: ListedLog[],
		private readonly emitExisting: boolean,
		private readonly tagging: Tagging,
	) {}

	take(step: Step): void {
		const { listed } = this;
		const countOf = (share: number) => Math.ceil(Math.min(listed.length, 5_000) * share);
		switch (step.kind) {
			case 'finish':
				listed.push(...step.logs);
				break;
			case 'remove':
				this.removed.push(...listed.splice(0, Math.ceil(listed.length * step.share)));
				break;
			case 'restore':
				listed.push(...this.removed.splice(0, Math.ceil(this.removed.length * step.share)));
				break;
			case 'shuffle': {
				const middle = Math.floor(listed.length * step.share);
				this.listed = [...listed.slice(middle), ...listed.slice(0, middle)].reverse();
				break;
			}
			case 'repeat':
				listed.push(...listed.slice(0, countOf(step.share)));
				break;
			case 'poll':
				this.poll();
				break;
			case 'clock':
				this.now += step.byMinutes * 60_000;
				break;
		}
	}

	private poll(): void {
		this.now += 60_000;
		const isFirst = this.state === undefined;
		const stored = this.state === undefined ? 'absent' : (JSON.parse(this.state) as Cursor);
		const tag = findTag(stored, ACCOUNT, this.now);
		const etag = this.createTag();
		const isUnchanged = tag !== undefined && (this.tagging === 'alwaysUnchanged' || tag === etag);
		if (isUnchanged) this.checkUnchanged();
		else this.fullReads.push(this.now);

		const listed = isUnchanged ? [] : this.listed;
		const selection = selectNewVideos(listed, stored, {
			...{ account: ACCOUNT, projectIds: [], isContinuous: true },
			emitExisting: this.emitExisting,
		});
		const cursor = isUnchanged ? selection.cursor : keepTag(selection.cursor, etag, this.now);
		const isSilent = isFirst && !this.emitExisting;
		this.checkVideos(selection.videos as ListedLog[], isSilent ? [] : listed);
		for (const log of listed) this.everListed.set(identify(log), log.time);
		this.state = JSON.stringify(cursor);
		const bytes = Buffer.byteLength(this.state);
		check(bytes < STATE_LIMIT_BYTES, `the state has ${bytes} bytes`);
	}

	private createTag(): string | undefined {
		if (this.tagging === 'none') return undefined;
		return this.tagging === 'strong' ? String(hashText(JSON.stringify(this.listed))) : 'constant';
	}

	/**
	 * Checks that a log is treated as unchanged only if the tag is correct, or for at most an hour if
	 * the tag is broken.
	 */
	private checkUnchanged(): void {
		if (this.tagging === 'strong') {
			const isNews = (log: ListedLog) => !this.everListed.has(identify(log));
			check(!this.listed.some(isNews), 'there is a new video in a log that is called unchanged');
			return;
		}
		const isRecent = this.fullReads.some((at) => at <= this.now && this.now - at < HOUR_MS);
		check(isRecent, 'the log was not read in full for an hour');
	}

	private checkVideos(videos: ListedLog[], listed: ListedLog[]): void {
		const unseen = new Map(
			listed
				.filter((log) => !this.everListed.has(identify(log)))
				.map((log) => [identify(log), log]),
		);
		for (const video of videos) {
			check(unseen.delete(identify(video)), `${identify(video)} is emitted, but is not new`);
		}
		const mayBeForgotten = this.createForgottenTest();
		for (const [identity, log] of unseen) {
			check(mayBeForgotten(log), `${identity} is new, but is not emitted`);
		}
		const times = videos.map(({ time }) => time || Infinity);
		const isSorted = times.every((time, i) => i === 0 || time >= (times[i - 1] ?? 0));
		check(isSorted, 'the videos are not in order');
	}

	/**
	 * Returns a test for videos that may be forgotten: of more than 5,000, all but the newest, and those
	 * without a date if there are more than 1,000.
	 */
	private createForgottenTest(): (log: ListedLog) => boolean {
		const times = Float64Array.from(this.everListed.values()).sort();
		const dated = times.filter((time) => time > 0);
		const boundary = dated.at(-ALWAYS_REMEMBERED - 1) ?? 0;
		const isUndatedForgotten = times.length - dated.length > 1_000;
		return ({ time }) => (time === 0 ? isUndatedForgotten : time <= boundary);
	}
}

function identify({ id, url }: IDataObject): string {
	return typeof id === 'string' || typeof id === 'number' ? `id ${id}` : `url ${toText(url)}`;
}

function check(isTrue: boolean, otherwise: string): void {
	if (!isTrue) throw new Error(otherwise);
}

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
const step = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.record({
			kind: fc.constant('finish' as const),
			logs: fc.array(log, { minLength: 1, maxLength: 4 }),
		}),
	},
	{ weight: 6, arbitrary: fc.constant({ kind: 'poll' as const }) },
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
	.map((all) => identifyLogs([...all, { kind: 'poll' }]));

/**
 * Creates the logs that an account has before the trigger exists: one a second on average, in
 * groups of 300 with the same time.
 */
function createExisting(count: number, undatedEvery: number): ListedLog[] {
	return Array.from({ length: count }, (_, i) => ({
		id: `existing-${i}`,
		projectId: PROJECTS[i % 3],
		...(i % undatedEvery === 0
			? { createdAt: 'soon', time: 0 }
			: createDate(-(i - (i % 300)) * 1_000)),
	}));
}

const sizes = fc.oneof(
	{ weight: 60, arbitrary: fc.constantFrom(0, 1, 2, 30) },
	{ weight: 2, arbitrary: fc.constantFrom(4_999, 5_000, 5_001) },
	{ weight: 1, arbitrary: fc.constantFrom(9_999, 10_000, 10_001, 20_000) },
);
const undated = fc.constantFrom(97, 3);
const tagging = fc.constantFrom<Tagging>('none', 'strong', 'constant', 'alwaysUnchanged');

describe('Whatever happens to account and service', () => {
	test('every video is emitted once, oldest first, and the state stays small', () => {
		fc.assert(
			fc.property(
				sizes,
				undated,
				fc.boolean(),
				tagging,
				steps,
				(size, every, isEmitted, tags, all) => {
					const history = new VideoHistory(createExisting(size, every), isEmitted, tags);
					for (const each of all) history.take(each);
				},
			),
			SETTINGS,
		);
	}, 3_600_000);
});
