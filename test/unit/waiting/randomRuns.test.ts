import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import type { Behaviour, Ended, Life, Stranger, WaitTimes } from './FakeService';
import { FakeService, playRun, skipTime } from './FakeService';

beforeEach(() => jest.useFakeTimers());
afterEach(() => {
	jest.useRealTimers();
});

/** The number of random runs of each test. */
const RUNS = Number(process.env.RUNS ?? 200);
const LISTING_DELAY_MS = 10_000;
const ONE_MINUTE_MS = 60_000;
const LATENCY_MS = 100;
/** The time that the requests between two looks take. */
const REQUESTS_MS = 2_000;
const WAIT_TIMES: WaitTimes = {
	...{ intervalMs: 10_000, listingDelayMs: LISTING_DELAY_MS, timeoutMs: 10 * ONE_MINUTE_MS },
};

/** A value once in `freq` times. */
const maybe = <T>(value: fc.Arbitrary<T>, freq = 2) =>
	fc.oneof(
		{ weight: freq - 1, arbitrary: fc.constant(undefined) },
		{ weight: 1, arbitrary: value },
	);
const project = fc.constantFrom('p', 'p', 'p', 'q');
const ms = (max: number, min = 0) =>
	fc.integer({ min: min / 100, max: max / 100 }).map((n) => n * 100);

const lives: fc.Arbitrary<Life> = fc.record({
	project,
	addedAt: fc.oneof(fc.constant(0), ms(30_000)),
	runsFor: ms(ONE_MINUTE_MS, 200),
	lag: fc.oneof(fc.constant(0), ms(LISTING_DELAY_MS)),
	clearedAfter: maybe(ms(ONE_MINUTE_MS, 200), 6),
	lostAfter: maybe(ms(ONE_MINUTE_MS), 6),
	foundAfter: ms(40_000),
	showsUrl: fc.constantFrom(false, false, false, true),
	failsAfter: maybe(ms(ONE_MINUTE_MS, 200), 15),
});
const dates = fc.constantFrom(undefined, 'no date', '2025-01-01T00:00:00Z', '2099-01-01T00:00:00Z');
const strangers: fc.Arbitrary<Stranger> = fc.record({
	project: fc.oneof(project, fc.constant(undefined)),
	shownAt: fc.oneof(fc.constant(-1), ms(2 * ONE_MINUTE_MS)),
	createdAt: dates,
	vanishesAt: maybe(ms(ONE_MINUTE_MS)),
	returnsAfter: ms(30_000),
});
const failing = (max: number) =>
	fc.uniqueArray(fc.integer({ min: 1, max }), { maxLength: 8 }).map((list) => new Set(list));
const behaviours: fc.Arbitrary<Behaviour> = fc.record({
	hasEtags: fc.boolean(),
	latencies: fc.array(fc.constantFrom(2, LATENCY_MS, 1_500, 6_000), { minLength: 1, maxLength: 7 }),
	failures: failing(40),
	// Never so many in a row that the log cannot be read for 30 seconds.
	logFailures: failing(6).map((list) => new Set([...list].map((n) => 2 * n - 1))),
});
const waitTimes: fc.Arbitrary<WaitTimes> = fc.record({
	intervalMs: fc.constantFrom(1_000, 5_000, 10_000),
	listingDelayMs: fc.constant(LISTING_DELAY_MS),
	timeoutMs: fc.constantFrom(20_000, ...Array<number>(5).fill(10 * ONE_MINUTE_MS)),
});

const FAULTLESS: Behaviour = {
	...{ hasEtags: false, latencies: [LATENCY_MS] },
	...{ failures: new Set(), logFailures: new Set() },
};
const faultless = fc
	.record({ hasEtags: fc.boolean(), latencies: fc.constantFrom([2], [LATENCY_MS]) })
	.map((more) => ({ ...FAULTLESS, ...more }));
const history = fc.array(
	strangers.map((stranger) => ({ ...stranger, shownAt: -1, vanishesAt: undefined })),
	{ maxLength: 5 },
);

/** Plays a run, and checks that it leaves nothing behind. */
async function play(service: FakeService, items: readonly Life[], times: WaitTimes) {
	const ended = await skipTime(playRun(service, items, times));
	const { requestCount } = service;
	expect(service.openRequests).toBe(0);
	expect(jest.getTimerCount()).toBe(0);
	await jest.advanceTimersByTimeAsync(ONE_MINUTE_MS);
	expect(service.requestCount).toBe(requestCount);
	return ended;
}

const getVideoId = ({ output }: Ended) => (output?.video as IDataObject | null | undefined)?.id;

/** Expects no video of another, and the own one among the candidates of a finished item. */
function judge(service: FakeService, ended: Ended): void {
	const { queueId, output } = ended;
	if (!output) return;
	const ownId = service.getOwnId(queueId);
	const { video, videoUrl, videoCandidates, status } = output;
	if (video !== null) expect(getVideoId(ended)).toBe(ownId);
	if (videoUrl !== null) expect(videoUrl).toBe(`https://x.example/${ownId ?? 'none'}`);
	else if (status === 'completed') {
		expect((videoCandidates as IDataObject[]).map(({ id }) => id)).toContain(ownId);
	}
}

describe('While the log shows every finished video in time', () => {
	test('no item is given the video of another, and its own one is among its candidates', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(lives, { minLength: 1, maxLength: 5 }),
				fc.array(strangers, { maxLength: 6 }),
				behaviours,
				waitTimes,
				async (items, others, behaviour, times) => {
					const service = new FakeService(behaviour, others);
					const sorted = items.toSorted((a, b) => a.addedAt - b.addedAt);
					for (const ended of await play(service, sorted, times)) judge(service, ended);
				},
			),
			{ numRuns: RUNS },
		);
	});

	test('an item is given its own video if it is the only one of its project, whatever was there before', async () => {
		const times = fc.record({ runsFor: ms(ONE_MINUTE_MS), lag: ms(LISTING_DELAY_MS) });
		await fc.assert(
			fc.asyncProperty(times, history, faultless, waitTimes, async (life, old, behaviour, wait) => {
				const service = new FakeService(behaviour, old);
				const items = [{ project: 'p', addedAt: 0, ...life }];
				const [ended] = await play(service, items, { ...wait, timeoutMs: 3_600_000 });
				expect(ended && getVideoId(ended)).toBe('of-item-0');
			}),
			{ numRuns: RUNS },
		);
	});

	test('siblings are given their own videos if they finish further apart than the polling interval and the listing delay', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.record({ gap: ms(ONE_MINUTE_MS), lag: ms(LISTING_DELAY_MS) }), {
					...{ minLength: 2, maxLength: 6 },
				}),
				fc.boolean(),
				history,
				faultless,
				waitTimes,
				async (plan, isReversed, old, behaviour, wait) => {
					let finish = 0;
					const items = plan.map(({ gap, lag }): Life => {
						finish += gap + wait.intervalMs + LISTING_DELAY_MS + REQUESTS_MS;
						return { project: 'p', addedAt: 0, runsFor: finish, lag };
					});
					if (isReversed) items.reverse();
					const service = new FakeService(behaviour, old);
					const ended = await play(service, items, { ...wait, timeoutMs: 3_600_000 });
					expect(ended.map(getVideoId)).toEqual(ended.map(({ queueId }) => `of-${queueId}`));
				},
			),
			// These runs are the longest ones.
			{ numRuns: RUNS / 2 },
		);
	});
});

test.each([true, false])(
	'siblings that are looked at at the same instants are told apart by the looks that follow new entries (tags: %p)',
	async (hasEtags) => {
		const service = new FakeService({ ...FAULTLESS, hasEtags });
		const items = [4_000, 15_000, 26_000].map((runsFor): Life => {
			return { project: 'p', addedAt: 0, runsFor, lag: 0 };
		});
		const ended = await play(service, items, WAIT_TIMES);
		expect(ended.map(getVideoId)).toEqual(ended.map(({ queueId }) => `of-${queueId}`));
	},
);

test('An item that runs for a minute reads the log three times at most, if the service sends no tags', async () => {
	const service = new FakeService(FAULTLESS);
	const life = { project: 'p', addedAt: 0, runsFor: 58_000, lag: 5_000 };
	await play(service, [life], WAIT_TIMES);
	expect(service.logReads.length).toBeLessThanOrEqual(3);
});

test('An item that runs for two hours reads the log at growing intervals', async () => {
	const service = new FakeService(FAULTLESS);
	const life = { project: 'p', addedAt: 0, runsFor: 7_200_000, lag: 5_000 };
	await play(service, [life], { ...WAIT_TIMES, timeoutMs: 8_000_000 });
	const minutes = service.logReads.map(({ at }) => Math.floor(at / ONE_MINUTE_MS));
	expect(minutes).toEqual([0, 1, 3, 7, 15, 31, 63, 120]);
});
