import type { Service } from '../../../nodes/VideoGeneration/api/request';
import { type KeyVideos, getKeyVideos } from '../../../nodes/VideoGeneration/waiting/accountVideos';
import { createRandom, useWorkers, type Worker } from './useWorkers';

const LANES = 10;
const KEYS = 500;
const WRITE_MS = 15;

const createJob = (context: never, projectId: string, signal = new AbortController().signal) =>
	({
		context,
		ledger: { isPaid: false },
		order: { body: { projectId } },
		run: { signal },
		open: async () => await Promise.resolve({ baseUrl: 'http://localhost' }),
	}) as never;

/** What a process knows of videos. @param isOwed whether it is owed one */
function createVideos(isOwed: boolean): KeyVideos {
	const videos = getKeyVideos({
		baseUrl: 'http://localhost',
		keyId: Number(isOwed),
	} as Service);
	return Object.assign(videos, { isOwed: () => isOwed });
}

beforeEach(() => {
	jest.useFakeTimers({ now: Date.parse('2026-01-15T12:03:00Z') });
	jest.spyOn(Math, 'random').mockImplementation(createRandom(1));
});

afterEach(() => jest.restoreAllMocks());

test('Three workers that take the turns of ten projects lose none of 500 keys, and none has the turn of another', async () => {
	const { workers, context, passTime, pause, findLost } = useWorkers(() => WRITE_MS);
	const videos = createVideos(false);
	const taken = new Set<number>();
	const making = new Map<number, number>();
	let together = 0;
	const makeVideo = async (worker: Worker, key: number) => {
		const lane = key % LANES;
		const job = createJob(context, String(lane));
		const keys = new worker.Records(context, 'node');
		const turn = await worker.joinTurn(job, videos);
		const names = [`key ${key}`, `The video of ${key} has not come out`];
		const reserve = async () => await keys.reserve(names);
		const isNew = await keys.alone(reserve, 600_000);
		if (isNew?.length === 3) taken.add(key);
		await turn?.take(job);
		together += making.get(lane) ?? 0;
		making.set(lane, (making.get(lane) ?? 0) + 1);
		await pause(500 + ((key * 7919) % 1_000));
		making.set(lane, (making.get(lane) ?? 0) - 1);
		await keys.alone(async () => {
			await keys.remove(names.slice(1));
		}, 600_000);
		await turn?.leave();
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

type How = 'carried out' | 'lost' | 'failed';
type Check = (name: string, entries: string[]) => How | Promise<How>;

/** The context of a worker whose calls of the store may fail, or be lost: n8n answers then as if nothing was recorded. */
function watchStore(context: never, check: Check): never {
	const { helpers } = context as { helpers: Record<string, (...call: unknown[]) => unknown> };
	const names = ['checkProcessedAndRecord', 'removeProcessed'];
	const watched = names.map((name) => [
		name,
		async (entries: string[], ...more: unknown[]) => {
			const how = await check(name, entries);
			if (how === 'failed') throw new Error('Driver not Connected');
			return how === 'lost' ? { new: [] } : await helpers[name]?.(entries, ...more);
		},
	]);
	return { ...(context as object), helpers: Object.fromEntries(watched) as object } as never;
}

/** Takes the turn of a project, and leaves it after a time. @returns whether no video of another process may appear */
async function useTurn(worker: Worker | undefined, context: never, project: string, forMs = 0) {
	const [job, videos] = [createJob(context, project), createVideos(false)];
	const turn = await worker?.joinTurn(job, videos);
	const begun = await turn?.take(job);
	const isSure = begun?.unsure.aborted === false;
	if (forMs > 0) await new Promise((resolve) => setTimeout(resolve, forMs));
	await turn?.leave();
	return isSure;
}

test('What turns left an hour ago is removed by the next one of the workflow, though all removals were lost', async () => {
	const { workers, context, countEntries, passTime, pause } = useWorkers(() => WRITE_MS);
	let isLost = true;
	const watched = watchStore(context, (name) =>
		isLost && name === 'removeProcessed' ? 'lost' : 'carried out',
	);
	const work = async () => {
		await useTurn(workers[0], watched, 'p', 30_000);
		const left = await countEntries('workflow');
		await pause(3_600_000);
		isLost = false;
		await useTurn(workers[0], watched, 'q');
		return [left, await countEntries('workflow')];
	};
	const [left, after] = await passTime(work(), 10_000);
	expect(left).toBeGreaterThan(8);
	expect(after).toBe(0);
});

test('A killed process holds its turn for a minute, later turns remove what it has left, and a video counts as owed for an hour', async () => {
	const { workers, context, countEntries, passTime, pause } = useWorkers(() => WRITE_MS);
	let isDead = false;
	const watched = watchStore(context, () => (isDead ? 'failed' : 'carried out'));
	const work = async () => {
		void useTurn(workers[0], watched, 'p', 3_600_000);
		await pause(20_000);
		isDead = true;
		const diedAt = performance.now();
		const areSure = [await useTurn(workers[1], context, 'p')];
		const waitedMs = performance.now() - diedAt;
		await useTurn(workers[1], context, 'p', 70_000);
		await pause(3_600_000);
		areSure.push(await useTurn(workers[1], context, 'p'));
		return { waitedMs, areSure, count: await countEntries('workflow') };
	};
	const { areSure, count, waitedMs } = await passTime(work(), 1_000);
	expect(areSure).toEqual([false, true]);
	// One of a hundred marks stays.
	expect(count).toBeLessThanOrEqual(1);
	// It asks again every few seconds.
	expect(waitedMs).toBeGreaterThan(30_000);
	expect(waitedMs).toBeLessThan(70_000);
});

test.each(['first', 'last'])(
	'A turn of two keys leaves word that a video is owed to the one that joins %s',
	async (joins) => {
		const { workers, context, passTime } = useWorkers(() => WRITE_MS);
		const owed = [joins === 'first', joins === 'last'];
		const work = async () => {
			const turns: Awaited<ReturnType<Worker['joinTurn']>>[] = [];
			for (const isOwed of owed) {
				turns.push(await workers[0]?.joinTurn(createJob(context, 'p'), createVideos(isOwed)));
			}
			await turns[0]?.take(createJob(context, 'p'));
			for (const turn of turns) await turn?.leave();
			return await useTurn(workers[1], context, 'p');
		};
		expect(await passTime(work())).toBe(false);
	},
);

test.each([
	['the first removal of its end', (name: string) => name === 'removeProcessed', 3],
	['the second removal of its end', (name: string) => name === 'removeProcessed', 4],
	['a record of its renewal', (name: string) => name !== 'removeProcessed', 5],
])('A turn ends with its item, and not before, though %s is lost', async (_, isLost, nth) => {
	const { workers, context, passTime, pause } = useWorkers(() => WRITE_MS);
	let count = 0;
	const watched = watchStore(context, (name) =>
		isLost(name) && ++count === nth ? 'lost' : 'carried out',
	);
	const order: string[] = [];
	const work = async () => {
		const first = useTurn(workers[0], watched, 'p', 100_000).then(() => order.push('first'));
		await pause(1_000);
		const isSure = await useTurn(workers[1], context, 'p');
		order.push(`second: ${isSure}`);
		await first;
		return performance.now();
	};
	expect(await passTime(work())).toBeLessThan(115_000);
	expect(order).toEqual(['first', 'second: true']);
	expect(count).toBeGreaterThanOrEqual(nth);
});

test("n8n's log says once that an item waits for other workers, and a turn that cannot be renewed is not sure any more", async () => {
	const { workers, context, passTime, pause } = useWorkers(() => WRITE_MS);
	const logged: string[] = [];
	const logger = { info: (line: string) => logged.push(line) };
	const logging = { ...(context as object), logger } as never;
	let isAway = false;
	const watched = watchStore(context, () => (isAway ? 'failed' : 'carried out'));
	const work = async () => {
		const turn = await workers[0]?.joinTurn(createJob(watched, 'p'), createVideos(false));
		const begun = await turn?.take(createJob(watched, 'p'));
		const next = useTurn(workers[1], logging, 'p');
		isAway = true;
		await pause(40_000);
		const isSure = [begun?.unsure.aborted];
		await pause(40_000);
		isSure.push(begun?.unsure.aborted);
		await Promise.all([turn?.leave(), next]);
		return isSure;
	};
	// Six periods are recorded, of which the first one has begun.
	expect(await passTime(work())).toEqual([false, true]);
	const line = 'Waiting for other workers to make a video of project "p" in execution 1';
	expect(logged).toEqual([line]);
});

test('A silence of the store ends with an answer, so the next one is waited for, too', async () => {
	const { workers, context, passTime, pause } = useWorkers(() => WRITE_MS);
	let isSilent = true;
	const silent = watchStore(context, async () => {
		while (isSilent) await pause(1_000);
		return 'carried out' as const;
	});
	const takeMs = async () => {
		const startedAt = performance.now();
		const turn = await workers[0]?.joinTurn(createJob(silent, 'p'), createVideos(false));
		await turn?.take(createJob(silent, 'p'));
		void turn?.leave();
		return performance.now() - startedAt;
	};
	const work = async () => {
		const first = await takeMs();
		isSilent = false;
		await pause(60_000);
		const answered = await takeMs();
		await pause(60_000);
		isSilent = true;
		return [first, answered, await takeMs()];
	};
	const [first = 0, answered, second = 0] = await passTime(work());
	for (const time of [first, second]) {
		expect(time).toBeGreaterThanOrEqual(120_000);
		expect(time).toBeLessThan(135_000);
	}
	expect(answered).toBeLessThan(5_000);
});

test('A turn ends with its item, and is sure, though a call of another process overwrites all that was removed', async () => {
	let callMs = 1;
	const { workers, context, passTime } = useWorkers(() => callMs);
	const other = workers[1] && new workers[1].Records(context, 'workflow');
	const owed = `is owed in ${Math.floor(Date.now() / 1_800_000)}`;
	let hasEnded = false;
	const watched = watchStore(context, (name, entries) => {
		if (name === 'removeProcessed' && !hasEnded && entries.some((text) => text.endsWith(owed))) {
			hasEnded = true;
			callMs = 40;
			void other?.record(['a text of another process']);
			callMs = 1;
		}
		return 'carried out';
	});
	const work = async () => {
		await useTurn(workers[0], watched, 'p', 10_000);
		const endedAt = performance.now();
		const isSure = await useTurn(workers[1], context, 'p');
		return { isSure, isSoon: performance.now() < endedAt + 2_000 };
	};
	expect(await passTime(work())).toEqual({ isSure: true, isSoon: true });
});

test('What a process that lost the race for a turn has left does not make the next turns unsure', async () => {
	jest.setSystemTime(Date.parse('2026-01-15T12:29:50Z'));
	const { workers, context, passTime, pause } = useWorkers(() => WRITE_MS);
	const lane = JSON.stringify(['http://localhost', 'p']);
	const nextHalfHour = Math.floor(Date.now() / 1_800_000) + 1;
	const work = async () => {
		const first = useTurn(workers[0], context, 'p', 60_000);
		await pause(1_000);
		// Its clock is ahead, and the write that took this back was lost.
		const records = workers[1] && new workers[1].Records(context, 'workflow');
		await records?.record([`A video of ${lane} is owed in ${nextHalfHour}`]);
		await first;
		return await useTurn(workers[1], context, 'p');
	};
	expect(await passTime(work())).toBe(true);
});

test('What a process that lost the race for a turn has left does not hold up the next turn, if its clock is ahead by 20 s', async () => {
	const { workers, context, passTime, pause } = useWorkers(() => WRITE_MS);
	const lane = JSON.stringify(['http://localhost', 'p']);
	const lastPeriod = Math.floor(Date.now() / 10_000) + 2 + 5;
	const work = async () => {
		const first = useTurn(workers[0], context, 'p', 5_000);
		await pause(1_000);
		const records = workers[1] && new workers[1].Records(context, 'workflow');
		await records?.record([`The turn of ${lane} in ${lastPeriod}`]);
		await first;
		jest.setSystemTime(Date.now() + 20_000);
		const endedAt = performance.now();
		await useTurn(workers[1], context, 'p');
		return performance.now() - endedAt;
	};
	expect(await passTime(work())).toBeLessThan(2_000);
});

test('A reservation of which another process removes a part meanwhile is recorded again as a whole', async () => {
	const { workers, context, countEntries, findLost, passTime, pause } = useWorkers(() => WRITE_MS);
	const [mine, other] = workers.map((worker) => new worker.Records(context, 'node'));
	const work = async () => {
		const reserving = mine?.reserve(['a', 'b', 'c']);
		await pause(20);
		await other?.remove(['a']);
		return await reserving;
	};
	expect(await passTime(work(), 5)).toEqual(expect.arrayContaining(['a', 'b', 'c']));
	expect(await passTime(countEntries('node'))).toBe(3);
	expect(await findLost(['a', 'b', 'c'])).toEqual([]);
});
