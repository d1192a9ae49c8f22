import type { Service } from '../../../nodes/VideoGeneration/api/request';
import {
	type AccountVideos,
	getAccountVideos,
} from '../../../nodes/VideoGeneration/waiting/accountVideos';
import { useWorkers, type Worker } from './useWorkers';

const LANES = 10;
const KEYS = 2_000;
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
function createVideos(isOwed: boolean): AccountVideos {
	const videos = getAccountVideos({
		baseUrl: 'http://localhost',
		keyId: Number(isOwed),
	} as Service);
	return Object.assign(videos, { isOwed: () => isOwed });
}

beforeEach(() => {
	jest.useFakeTimers({ now: Date.parse('2026-01-15T12:03:00Z') });
	// What the workers draw is the same each time.
	let drawn = 1;
	jest.spyOn(Math, 'random').mockImplementation(() => {
		drawn = (drawn * 48_271) % 2_147_483_647;
		return drawn / 2_147_483_647;
	});
});

afterEach(() => {
	jest.restoreAllMocks();
	jest.useRealTimers();
});

test('Three workers that take the turns of ten projects lose none of 2,000 keys, and none has the turn of another', async () => {
	const { workers, context, passTime, pause, findLost } = useWorkers(() => WRITE_MS);
	const videos = createVideos(false);
	const taken = new Set<number>();
	const making = new Map<number, number>();
	let together = 0;
	const makeVideo = async (worker: Worker, key: number) => {
		const lane = key % LANES;
		const job = createJob(context, String(lane));
		const keys = new worker.Entries(context, 'node');
		const turn = await worker.joinTurn(job);
		const names = [`key ${key}`, `The video of ${key} has not come out`];
		const isNew = await keys.inTurn(async () => await keys.reserve(names));
		if (isNew?.length === 2) taken.add(key);
		await turn?.take(job, videos);
		together += making.get(lane) ?? 0;
		making.set(lane, (making.get(lane) ?? 0) + 1);
		await pause(500 + ((key * 7919) % 1_000));
		making.set(lane, (making.get(lane) ?? 0) - 1);
		await keys.inTurn(async () => {
			await keys.remove(names.slice(1));
		});
		await turn?.leave(videos);
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

test('What the turns of a day leave in the store is removed by later ones', async () => {
	const { workers, context, countEntries, passTime, pause } = useWorkers(() => WRITE_MS);
	const videos = createVideos(true);
	const job = createJob(context, 'p');
	const counts: number[] = [];
	const work = async () => {
		for (let hour = 0; hour < 24; hour++) {
			const worker = workers[hour % workers.length];
			const turn = await worker?.joinTurn(job);
			await turn?.take(job, videos);
			await turn?.leave(videos);
			await pause(3_600_000);
			counts.push(await countEntries('workflow'));
		}
	};
	await passTime(work(), 60_000);
	expect(counts.at(-1)).toBeLessThanOrEqual(counts[2] ?? NaN);
});

/** The context of a worker whose calls of the store may fail, or be lost. */
function watchStore(context: never, check: (name: string, entries: string[]) => boolean): never {
	const { helpers } = context as { helpers: Record<string, (...call: unknown[]) => unknown> };
	const names = ['checkProcessedAndRecord', 'removeProcessed'];
	const watched = names.map((name) => [
		name,
		async (entries: string[], ...more: unknown[]) =>
			check(name, entries) ? await helpers[name]?.(entries, ...more) : undefined,
	]);
	return { ...(context as object), helpers: Object.fromEntries(watched) as object } as never;
}

const fail = (): never => {
	throw new Error('Driver not Connected');
};

test('A worker that has lost its turn learns what the next one is owed, though it has asked before', async () => {
	const { workers, context, passTime, pause } = useWorkers(() => WRITE_MS);
	let isAway = false;
	const job = createJob(
		watchStore(context, () => !isAway || fail()),
		'p',
	);
	const otherJob = createJob(context, 'p');
	const [videos, others] = [createVideos(false), createVideos(true)];
	const release = jest.spyOn(videos, 'release');
	const work = async () => {
		const turn = await workers[0]?.joinTurn(job);
		await turn?.take(job, videos);
		isAway = true;
		const otherTurn = await workers[1]?.joinTurn(otherJob);
		await otherTurn?.take(otherJob, others);
		await otherTurn?.leave(others);
		isAway = false;
		await pause(60_000);
		await turn?.take(job, videos);
	};
	await passTime(work());
	// Each time, one is assumed to be owed, and only the first answer takes that back.
	expect(release.mock.calls.map(([, isOwed]) => isOwed)).toEqual([true, false, true]);
});

test('What is assumed to be owed for the item of one key ends with the answer that the item of another one has', async () => {
	const { workers, context, passTime } = useWorkers(() => WRITE_MS);
	let isAway = true;
	const isQuestion = (entries: string[]) => entries.some((entry) => entry.includes('is owed'));
	const watched = watchStore(context, (_, entries) => !isAway || !isQuestion(entries) || fail());
	const stop = new AbortController();
	const stopped = createJob(watched, 'p', stop.signal);
	const job = createJob(watched, 'p');
	const [videos, others] = [createVideos(false), createVideos(true)];
	const release = jest.spyOn(videos, 'release');
	const work = async () => {
		const turn = await workers[0]?.joinTurn(stopped);
		await workers[0]?.joinTurn(job);
		setTimeout(() => {
			stop.abort();
			isAway = false;
		}, 10_000);
		await turn?.take(stopped, videos).catch(() => undefined);
		await turn?.leave(videos);
		await turn?.take(job, others);
	};
	await passTime(work());
	expect(release.mock.calls.map(([, isOwed]) => isOwed)).toEqual([true, false]);
});

test('A worker learns that another one had the turn, though one removal from the store is lost', async () => {
	const { workers, context, passTime } = useWorkers(() => WRITE_MS);
	let isLost = false;
	const watched = watchStore(context, (name, entries) => {
		const isFirst =
			!isLost && name === 'removeProcessed' && entries.some((each) => each.startsWith('Bit '));
		isLost ||= isFirst;
		return !isFirst;
	});
	const use = async (worker: Worker | undefined, job: never) => {
		const videos = createVideos(false);
		const turn = await worker?.joinTurn(job);
		const takenOverAt = await turn?.take(job, videos);
		await turn?.leave(videos);
		return takenOverAt;
	};
	const [first, second] = [createJob(context, 'p'), createJob(watched, 'p')];
	const work = async () => {
		await use(workers[0], first);
		await use(workers[1], second);
		return await use(workers[0], first);
	};
	expect(await passTime(work())).toBeGreaterThan(0);
	expect(isLost).toBe(true);
});

/** Notes the last period for which a turn was recorded. */
function watchPeriods(context: never) {
	const recorded = { last: 0 };
	const watched = watchStore(context, (name, entries) => {
		const periods = entries.map((entry) => Number(/^The turn .* (\d+)$/.exec(entry)?.[1] ?? 0));
		if (name === 'checkProcessedAndRecord') recorded.last = Math.max(recorded.last, ...periods);
		return true;
	});
	return { recorded, job: createJob(watched, 'p') };
}

test('A turn that is taken over while a period ends is recorded for the next two, too', async () => {
	const { workers, context, passTime, pause } = useWorkers(() => WRITE_MS);
	const { recorded, job } = watchPeriods(context);
	const work = async () => {
		const turn = await workers[0]?.joinTurn(job);
		const { phaseMs } = turn as unknown as { phaseMs: number };
		await pause(39_950 - ((Date.now() + phaseMs) % 20_000));
		await turn?.take(job, createVideos(false));
		await pause(2_000);
		return recorded.last - Math.floor((Date.now() + phaseMs) / 20_000);
	};
	expect(await passTime(work(), 1)).toBe(2);
});

test('A turn is recorded for the period after the next two when a period begins, though the timer is early', async () => {
	const { workers, context, passTime, pause } = useWorkers(() => WRITE_MS);
	const { recorded, job } = watchPeriods(context);
	const { now } = Date;
	let earlyMs = 0;
	jest.spyOn(Date, 'now').mockImplementation(() => now() - earlyMs);
	const work = async () => {
		const turn = await workers[0]?.joinTurn(job);
		await turn?.take(job, createVideos(false));
		const before = recorded.last;
		earlyMs = 1;
		await pause(20_100);
		return recorded.last - before;
	};
	expect(await passTime(work(), 1)).toBe(1);
});
