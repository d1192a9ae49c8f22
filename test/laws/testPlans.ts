import fc from 'fast-check';

/** `npm run test:long` sets `RUNS`; then the plans are new ones, unless `SEED` says which. */
const { RUNS } = process.env;
const SEED = Number(process.env.SEED ?? (RUNS === undefined ? 10 : Date.now() % 2 ** 31));

/** The path that a failure prints with its seed: `SEED=… REPLAY=…` plays that case alone. */
const { REPLAY } = process.env;

/** Time for many runs: the clock that skips the waits finds a plan that never ends. */
const TIMEOUT_MS = 3 * 3_600_000;

/** Defines a test that plays many plans, as many as `RUNS` says, or `usual`, and their `share` of both. */
export function testPlans<Plan>(
	name: string,
	plans: fc.Arbitrary<Plan>,
	{ usual, share }: { usual: number; share: number },
	check: (plan: Plan) => Promise<void>,
): void {
	const numRuns = Math.ceil(Number(RUNS ?? usual) * share);
	const replay = REPLAY === undefined ? {} : { path: REPLAY, endOnFailure: true };
	test(
		name,
		async () => {
			await fc.assert(fc.asyncProperty(plans, check), { seed: SEED, numRuns, ...replay });
		},
		TIMEOUT_MS,
	);
}
