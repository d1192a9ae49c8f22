import { createRandom, useWorkers } from './useWorkers';

const KEYS = 400;

beforeEach(() => jest.useFakeTimers());

/** What a job needs for its key. */
const createJob = (context: object, uniqueKey: string) => {
	const state: { stage: string; key?: number } = { stage: 'new' };
	return {
		context: { ...context, getExecuteData: () => ({ node: {} }) },
		order: { uniqueKey },
		run: { signal: new AbortController().signal },
		ledger: {
			state,
			keep: (change: object) => Object.assign(state, change),
			takeOverFate: () => undefined,
			findUnknownFate: () => undefined,
		},
	} as never;
};

test.each([
	['one execution', 'is as fast as ever', 0, 0, 0],
	['one execution', 'takes 0.1 to 0.3 s for one call of three', 0.3, 0.3, 0],
	['one execution', 'takes 0.1 to 1 s for one call of three', 0.3, 1, 4],
	['one execution', 'takes 0.1 to 10 s for one call of two hundred', 0.005, 10, 50],
	['two executions', 'is as fast as ever', 0, 0, 0],
	['two executions', 'takes 0.1 to 0.3 s for one call of three', 0.3, 0.3, 4],
	['two executions', 'takes 0.1 to 10 s for one call of two hundred', 0.005, 10, 120],
])(
	'Of 400 keys that %s of each of three workers claim in the same milliseconds while the store %s, at most so many are paid twice as the documents say, and none is lost',
	async (executions, how, slowShare, slowSeconds, most) => {
		const random = createRandom(1);
		const { workers, context, passTime, pause, findLost } = useWorkers(() =>
			random() < slowShare ? 100 + random() * (slowSeconds * 1_000 - 100) : 5 + random() * 20,
		);
		const names = Array.from({ length: KEYS }, (_, key) => `key ${key}`);
		const paid: string[] = [];
		const pay = async ({ takeKey, freeOrKeepKey }: (typeof workers)[0], name: string) => {
			const job = createJob(context, name);
			if (!(await takeKey(job)) || !(await takeKey(job, { isCheck: true }))) return;
			paid.push(name);
			// The add.
			await pause(300);
			(job as { ledger: { state: { stage: string } } }).ledger.state.stage = 'queued';
			await freeOrKeepKey(job, true);
		};
		const all = executions === 'one execution' ? workers : [...workers, ...workers];
		const paying = all.map(async (worker) => {
			for (const name of names) await pay(worker, name).catch(() => undefined);
			await pause(15_000);
		});
		await passTime(Promise.all(paying));
		const twice = paid.length - new Set(paid).size;
		process.stdout.write(`The store ${how}, ${executions}: ${twice} of ${KEYS} keys paid twice\n`);
		expect(twice).toBeLessThanOrEqual(most);
		// Where two of a process claim it, each may find that another one has it: none pays, and the row fails.
		const fewest = executions === 'one execution' ? KEYS : KEYS - most;
		expect(new Set(paid).size).toBeGreaterThanOrEqual(fewest);
		expect(await findLost(names)).toEqual([]);
	},
	60_000,
);
