import { enterLane } from '../../../nodes/VideoGeneration/adds/lanes';
import type { VideoJob } from '../../../nodes/VideoGeneration/adds/sendAdd';
import { KnownService } from '../../../nodes/VideoGeneration/waiting/accountVideos';

/*
 * Lanes with executions of a few lines: a signal, and what the lane counts. That rows of all kinds of executions take
 * their places is a law of random executions ("laws/videoLaws.ts").
 */

let hosts = 0;
beforeEach(() => {
	jest.useFakeTimers();
	hosts += 1;
});

const startRun = () => {
	const ending = new AbortController();
	return { signal: ending.signal, toldAtOnce: 1, ending };
};
type TestRun = ReturnType<typeof startRun>;

interface Row {
	project?: string;
	seconds?: number;
	videosAtOnce?: number;
	isPaid?: boolean;
	/** Null where the list could not be read. */
	isTold?: boolean | null;
	fails?: boolean;
}

/** A service, and what makes rows of runs there: each takes its place for its seconds. */
function openService() {
	const service = new KnownService();
	const startedAt = performance.now();
	const begun: [name: string, seconds: number][] = [];
	const logged: string[] = [];
	let running = 0;
	let most = 0;
	const getLane = async (run: TestRun, row: Row, name: string) => {
		const { project = 'p', isPaid = false, videosAtOnce } = row;
		const logger = { info: (line: string) => logged.push(line) };
		const job = {
			run,
			context: { getExecutionId: () => name, logger },
			ledger: { isPaid, state: {} },
			order: { body: { projectId: project } },
			open: async () => await Promise.resolve({ baseUrl: `https://${hosts}.example.com` }),
		};
		return await enterLane(job as unknown as VideoJob, videosAtOnce, service);
	};
	const make = async (run: TestRun, row: Row, name: string) => {
		const { lane, place } = await getLane(run, row, name);
		const sentAt = performance.now();
		begun.push([name, Math.round((sentAt - startedAt) / 1_000)]);
		most = Math.max(most, (running += 1));
		await new Promise((resolve) => setTimeout(resolve, (row.seconds ?? 20) * 1_000));
		running -= 1;
		if (row.fails) run.ending.abort();
		else
			lane.noteWhetherTold(place, {
				json: {},
				isTold: row.isTold === true,
				unidentified: row.isTold === null ? {} : undefined,
			});
		lane.noteTime(sentAt, row.fails ? 5_000 : 0);
		lane.leave(place);
	};
	return {
		begun,
		logged,
		countMost: () => most,
		begin: (run: TestRun, name: string, ...rows: Row[]) => {
			for (const row of rows) void make(run, row, name).catch(() => undefined);
		},
		/** How long a video of the project usually takes, in seconds. */
		findUsual: async () => {
			const { lane, place } = await getLane(startRun(), { isPaid: true }, 'look');
			const { usualMs } = lane;
			lane.leave(place);
			return usualMs === undefined ? undefined : Math.round(usualMs / 1_000);
		},
	};
}

const rows = (count: number, row: Row = {}): Row[] => Array.from({ length: count }, () => row);
const pass = async (seconds: number) => {
	await jest.advanceTimersByTimeAsync(seconds * 1_000);
};

const OTHER = { project: 'q' };

test.each<[name: string, rows: Row[], begun: number[], most: number]>([
	['one after the other', rows(3), [0, 20, 40], 1],
	['beside those of another project', [{}, OTHER, {}, OTHER], [0, 0, 20, 20], 2],
	["up to 'Videos at Once'", rows(4, { videosAtOnce: 2 }), [0, 0, 20, 20], 2],
	['as few as one of them wants', [{ videosAtOnce: 3 }, { videosAtOnce: 1 }], [0, 20], 1],
	['as few as the one that is made wants', [{ videosAtOnce: 1 }, { videosAtOnce: 3 }], [0, 20], 1],
	['at once, though another one is made, if it is paid', [{}, { isPaid: true }], [0, 0], 2],
	['after one that is paid', [{ isPaid: true }, {}], [0, 20], 1],
	[
		'one, four, seven and ten, each time that it is told',
		[20, 60, 140, ...Array<number>(11).fill(200)].map((seconds) => ({ seconds, isTold: true })),
		[0, 20, 20, 20, 20, 80, 80, 80, 80, 160, 160, 160, 160, 220],
		10,
	],
])('Videos of a run are made %s', async (_how, items, begun, most) => {
	const { begin, begun: found, countMost } = openService();
	begin(startRun(), 'run', ...items);
	await pass(300);
	expect(found.map(([, seconds]) => seconds)).toEqual(begun);
	expect(countMost()).toBe(most);
});

test('Where the service tells, executions make ten at most beside each other, and each begins with one', async () => {
	const { begin, begun, countMost } = openService();
	begin(startRun(), 'first', { isTold: true, seconds: 1 });
	await pass(5);
	for (let i = 0; i < 12; i++) begin(startRun(), `form ${i}`, { isTold: true }, { isTold: true });
	await pass(1);
	expect(begun).toHaveLength(1 + 10);
	await pass(200);
	expect(begun).toHaveLength(1 + 24);
	expect(countMost()).toBe(10);
});

test('A list that could not be read says nothing of whether the service tells', async () => {
	const { begin, countMost } = openService();
	begin(startRun(), 'told', { isTold: true });
	await pass(30);
	begin(startRun(), 'unread', { isTold: null });
	await pass(30);
	for (const name of ['a', 'b']) begin(startRun(), name, {});
	await pass(30);
	expect(countMost()).toBe(2);
});

test('Executions take turns, whoever has more rows, and one that ends takes its rows with it', async () => {
	const { begin, begun, logged } = openService();
	const [batch, stopped] = [startRun(), startRun()];
	begin(batch, 'batch', ...rows(4));
	begin(stopped, 'stopped', ...rows(2));
	begin(startRun(), 'form', {});
	await pass(50);
	stopped.ending.abort();
	await pass(300);
	const names = begun.map(([name]) => name);
	expect(names).toEqual(['batch', 'batch', 'stopped', 'form', 'batch', 'batch']);
	// Each run whose first item waits for others says so.
	const waiting = 'Waiting for other executions that make videos of project "p" in execution';
	expect(logged).toEqual(['stopped', 'form'].map((name) => `${waiting} ${name}`));
	// No place is kept.
	begin(startRun(), 'next', {});
	await pass(1);
	expect(begun.at(-1)).toEqual(['next', 350]);
});

test('A video usually takes as long as the longest of the last ten of the last hour, or one that was cut off', async () => {
	const { begin, findUsual } = openService();
	expect(await findUsual()).toBeUndefined();
	begin(startRun(), 'run', { seconds: 60 }, ...rows(9, { seconds: 5 }));
	await pass(120);
	expect(await findUsual()).toBe(60);
	begin(startRun(), 'cut off', { seconds: 1, fails: true });
	await pass(10);
	expect(await findUsual()).toBe(60);
	begin(startRun(), 'run', { seconds: 5 });
	await pass(10);
	expect(await findUsual()).toBe(5);
	for (const seconds of [1, 40]) {
		begin(startRun(), 'cut off', { seconds, fails: true });
		await pass(50);
	}
	expect(await findUsual()).toBe(45);
	await pass(3_600);
	expect(await findUsual()).toBeUndefined();
});
