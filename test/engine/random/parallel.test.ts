import { useSandbox } from '../../support/engine/useSandbox';
import { derive, PARALLEL_LAWS } from './parallelLaws';
import { parallelPlans } from './parallelPlans';
import { playInParallel } from './ParallelSession';
import { LONGEST_MS, playRandomly } from './runs';

const service = useSandbox();

/** How many items shared a project with another execution, and how many of them had to be given their videos. */
const count = { shared: 0, judged: 0 };
afterAll(() => {
	if (process.env.RUNS !== undefined) process.stdout.write(`${JSON.stringify(count)}\n`);
});

test(
	'whatever happens to executions at the same time, the laws hold',
	async () => {
		await playRandomly([parallelPlans], 0.6, async (plan) => {
			service.sandbox.reset();
			const facts = derive(plan, await playInParallel(service.sandbox, plan));
			for (const { execution, project } of facts.items) {
				const isShared = facts.items.some(
					(each) => each.execution !== execution && each.project === project,
				);
				count.shared += Number(isShared);
				count.judged += Number(isShared && facts.undisturbed.includes(project));
			}
			const broken = Object.entries(PARALLEL_LAWS).flatMap(([name, law]) =>
				law(facts).map((text) => `${name}: ${text}`),
			);
			expect(broken).toEqual([]);
		});
	},
	LONGEST_MS,
);
