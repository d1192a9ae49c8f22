import fc from 'fast-check';

/** How many plans of a theme are played. With `RUNS` set, they are new ones, unless `SEED` says which. */
const RUNS = Number(process.env.RUNS ?? 30);
const SEED = Number(
	process.env.SEED ?? (process.env.RUNS === undefined ? 10 : Date.now() % 2 ** 31),
);

/** The path that a failure prints with its seed: plays that case alone. */
const { REPLAY } = process.env;

/** Time for many runs: a plan that never ends is found by the session. */
export const LONGEST_MS = 3 * 3_600_000;

/**
 * Plays random cases. A failure prints the seed and the smallest case that fails: `SEED=… REPLAY=…`
 * plays it again.
 */
export async function playRandomly<Case extends [unknown, ...unknown[]]>(
	cases: { [Index in keyof Case]: fc.Arbitrary<Case[Index]> },
	share: number,
	play: (...values: Case) => Promise<void>,
): Promise<void> {
	const property = fc.asyncProperty(...cases, play as (...values: unknown[]) => Promise<void>);
	await fc.assert(property, {
		...{ seed: SEED, numRuns: Math.ceil(RUNS * share) },
		...(REPLAY !== undefined && { path: REPLAY, endOnFailure: true }),
	});
}
