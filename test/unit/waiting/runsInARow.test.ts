import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { FakeService, playRun, skipTime } from './FakeService';

beforeAll(() => {
	jest.useFakeTimers();
});
afterAll(() => {
	jest.useRealTimers();
});

/** `npm run test:long` plays 2,000. */
const RUNS = process.env.LEDGER_EXECUTIONS === undefined ? 300 : 2_000;
const LONGEST_MS = 600_000;
/** Code is compiled and caches fill up first. */
const FIRST_RUNS = 100;
/** Less than the lists of one account. */
const MAX_BYTES_A_RUN = 1_000;
const LISTING_DELAY_MS = 10_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Plays runs with one waiting item each. @returns the memory that is in use then */
async function playRuns(count: number): Promise<number> {
	for (let nth = 0; nth < count; nth++) {
		const behaviour = { hasEtags: nth % 2 === 0, latencies: [2] };
		const service = new FakeService({ ...behaviour, failures: new Set(), logFailures: new Set() });
		const life = { project: 'p', addedAt: 0, runsFor: 20_000, lag: 0 };
		const times = { intervalMs: 10_000, listingDelayMs: LISTING_DELAY_MS, timeoutMs: 60_000 };
		const [ended] = await skipTime(playRun(service, [life], times));
		expect(ended?.output?.video).not.toBeNull();
		expect(service.openRequests).toBe(0);
		expect(jest.getTimerCount()).toBe(0);
	}
	collectGarbage();
	return process.memoryUsage().heapUsed;
}

test(
	'Runs in a row leave no memory, timers or requests',
	async () => {
		const before = await playRuns(FIRST_RUNS);
		const after = await playRuns(RUNS);
		expect((after - before) / RUNS).toBeLessThan(MAX_BYTES_A_RUN);
	},
	LONGEST_MS,
);
