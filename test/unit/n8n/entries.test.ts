import { useWorkers } from '../adds/useWorkers';

const KEYS = 400;

beforeEach(() => jest.useFakeTimers());

afterEach(() => jest.useRealTimers());

/** Numbers from 0 to 1 that are the same in each run. */
function createRandom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
		return state / 2 ** 32;
	};
}

test.each([
	['is as fast as ever', 0, 0],
	['takes 0.1 to 0.3 s for one call of fifty', 0.02, KEYS / 40],
	['takes 0.1 to 0.3 s for one call of ten', 0.1, KEYS / 40],
	['takes 0.1 to 0.3 s for one call of three', 0.3, KEYS / 40],
])(
	'Of 400 keys that three workers claim in the same milliseconds, at most one of forty is claimed twice while the store %s',
	async (_, slowShare, most) => {
		const random = createRandom(1);
		const { workers, context, passTime, pause, findLost } = useWorkers(() =>
			random() < slowShare ? 100 + random() * 200 : 5 + random() * 20,
		);
		const names = Array.from({ length: KEYS }, (__, key) => [`key ${key}`, `open ${key}`]);
		const claimed: string[] = [];
		await passTime(
			Promise.all(
				workers.map(async ({ Entries }) => {
					const keys = new Entries(context, 'node');
					for (const pair of names) {
						const isNew = await keys.inTurn(async () => await keys.reserve(pair), 60_000);
						if (isNew?.length !== 2) continue;
						claimed.push(pair[0] ?? '');
						// The add, after which the key is recorded once more.
						await pause(300);
						await keys.inTurn(async () => await keys.record(pair), 60_000);
					}
				}),
			),
		);
		expect(claimed.length - new Set(claimed).size).toBeLessThanOrEqual(most);
		expect(await findLost([...new Set(claimed)])).toEqual([]);
	},
	60_000,
);
