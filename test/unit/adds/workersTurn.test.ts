import { useWorkers, type Worker } from './useWorkers';

const LANES = 10;
const KEYS = 2_000;
const WRITE_MS = 15;

beforeEach(() => jest.useFakeTimers());

afterEach(() => jest.useRealTimers());

test('Three workers that take the turns of ten projects lose none of 2,000 keys, and none has the turn of another', async () => {
	const { workers, context, passTime, pause, findLost } = useWorkers(() => WRITE_MS);
	const videos = { isOwed: () => false, owe: () => undefined };
	const taken = new Set<number>();
	const making = new Map<number, number>();
	let together = 0;
	const makeVideo = async (worker: Worker, key: number) => {
		const lane = key % LANES;
		const job = {
			context,
			ledger: { isPaid: false },
			order: { body: { projectId: String(lane) } },
			run: { signal: new AbortController().signal },
			open: async () => await Promise.resolve({ baseUrl: 'http://localhost' }),
		} as never;
		const keys = new worker.Entries(context, 'node');
		const turn = await worker.joinTurn(job);
		const names = [`key ${key}`, `The video of ${key} has not come out`];
		const isNew = await keys.inTurn(async () => await keys.claim(names));
		if (isNew?.length === 2) taken.add(key);
		await turn?.take(job, videos as never);
		together += making.get(lane) ?? 0;
		making.set(lane, (making.get(lane) ?? 0) + 1);
		await pause(500 + ((key * 7919) % 1_000));
		making.set(lane, (making.get(lane) ?? 0) - 1);
		await keys.inTurn(async () => {
			await keys.remove(names.slice(1));
		});
		await turn?.leave(videos as never);
	};
	const all = Array.from({ length: KEYS }, (_, key) => key);
	const work = workers.flatMap((worker, i) =>
		Array.from({ length: LANES }, async (_, lane) => {
			const own = all.filter((key) => key % workers.length === i && key % LANES === lane);
			for (const key of own) await makeVideo(worker, key);
		}),
	);
	await passTime(Promise.all(work));
	expect(taken.size).toBe(KEYS);
	expect(await findLost(all.map((key) => `key ${key}`))).toEqual([]);
	expect(together).toBe(0);
}, 120_000);
