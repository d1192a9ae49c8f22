import fc from 'fast-check';
import { EACH_WAY } from '../support/engine/runTools';
import { useBinaryStore } from '../support/engine/useBinaryStore';
import { findBroken } from './laws';
import type { Plan } from './Plan';
import {
	addPlans,
	batchPlans,
	crowdedPlans,
	endingPlans,
	limited,
	modelPlans,
	severalPlans,
	waitPlans,
} from './plans';
import { Session } from './Session';
import { testPlans } from './testPlans';

/** How many plans of a theme are played. */
const USUAL = 15;

let stage: Awaited<ReturnType<typeof Session.open>>;
beforeAll(async () => {
	stage = await Session.open();
});
/** How often the node was executed. */
let executions = 0;
afterAll(async () => {
	await stage.close();
	if (process.env.RUNS !== undefined) process.stdout.write(`${executions} executions\n`);
});
useBinaryStore();

type Theme = [name: string, plans: fc.Arbitrary<Plan>, share: number];
const THEMES: Theme[] = [
	['adds', addPlans({}), 1],
	['adds with keys and a guard', addPlans({ hasKeys: true }), 1],
	['batches that wait', batchPlans, 1],
	['waits', waitPlans, 1],
	['adds and batches with a limit', limited(fc.oneof(addPlans({}), batchPlans)), 1],
	['executions at the same time', severalPlans, 0.6],
	['runs that an add ends', endingPlans, 1],
	['rows by the hundred', crowdedPlans, 0.1],
	...EACH_WAY.map(([name, way]): Theme => [`the calls of ${name}`, modelPlans(way), 1]),
	[
		'the limited calls of a model',
		limited(fc.oneof(...EACH_WAY.map(([, way]) => modelPlans(way)))),
		1,
	],
];

for (const [name, plans, share] of THEMES) {
	const law = `whatever happens to ${name}, the laws hold`;
	testPlans(law, plans, { usual: USUAL, share }, async (plan) => {
		const session = await stage.play(plan);
		executions += session.played.length;
		expect(findBroken(session)).toEqual([]);
	});
}
