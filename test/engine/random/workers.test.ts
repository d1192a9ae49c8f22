/*
 * Random executions of several workers that share n8n's deduplication store, at one service.
 */

import fc from 'fast-check';
import type { SettingsChange } from '../../../sandbox/domain/settings';
import { DeduplicationStore } from '../../support/n8nServer/DeduplicationStore';
import { EngineWorker } from '../../support/engine/EngineWorker';
import { GENERATE } from '../../support/engine/OPERATIONS';
import { getOwnVideoId, planVideos } from '../../support/engine/planVideos';
import { playTogether } from '../../support/engine/playTogether';
import { ERROR_OUTPUT } from '../../support/engine/runNode';
import { useSandbox } from '../../support/engine/useSandbox';

/** As in `random.test.ts`. */
const RUNS = Number(process.env.RUNS ?? 30);
const SEED = Number(
	process.env.SEED ?? (process.env.RUNS === undefined ? 10 : Date.now() % 2 ** 31),
);
const { REPLAY } = process.env;

const service = useSandbox();

afterEach(() => jest.restoreAllMocks());

const seconds = (min: number, max: number) => fc.integer({ min: min * 1000, max: max * 1000 });

const plans = fc.record({
	/** How far each worker's clock is ahead. */
	skewsMs: fc.array(fc.constantFrom(0, 0, -10_000, 3_000, 10_000), { minLength: 2, maxLength: 3 }),
	executions: fc.array(
		fc.record({
			worker: fc.nat(2),
			rows: fc.integer({ min: 1, max: 3 }),
			afterMs: fc.oneof(fc.constant(0), seconds(0, 90)),
			hasKeys: fc.boolean(),
		}),
		{ minLength: 2, maxLength: 6 },
	),
	videosMs: fc.array(seconds(2, 120), { minLength: 20, maxLength: 20 }),
	settings: fc.constantFrom<SettingsChange>(
		{},
		{},
		{ endedItemsLeaveAfterMs: 0 },
		{ videoUrlInDetails: true },
		{ videoUrlInDetails: 'everyOther' },
		{ entriesNameQueueId: 'field' },
		{ durations: { logDelayMs: 8_000 } },
		{ durations: { logDelayMs: -3_000 } },
	),
	/** How long n8n's store takes from reading a row to writing it. */
	writesMs: fc.array(fc.constantFrom(1, 3, 15, 15, 40), { minLength: 1, maxLength: 7 }),
	/** When n8n's store does not answer. */
	outage: fc.option(fc.record({ atMs: seconds(0, 200), forMs: seconds(1, 20) }), {
		nil: undefined,
	}),
	/** When the first worker is killed. */
	killAfterMs: fc.option(seconds(1, 200), { nil: undefined, freq: 3 }),
});

type Plan = typeof plans extends fc.Arbitrary<infer T> ? T : never;

/** Plays a plan. @returns what each row was given: its own video, another one, none, or an error */
async function play(plan: Plan) {
	const { sandbox } = service;
	sandbox.reset();
	sandbox.configure(plan.settings);
	planVideos(sandbox, ...plan.videosMs.map((processingMs) => ({ processingMs })));
	const store = new DeduplicationStore().use();
	store.later = (_, action) => {
		setTimeout(action, plan.writesMs[store.calls % plan.writesMs.length]);
	};
	EngineWorker.share(store);
	const { checkCaller } = store;
	const { atMs = Infinity, forMs = 0 } = plan.outage ?? {};
	let passesAt = Infinity;
	store.checkCaller = () => {
		const passedMs = performance.now() - passesAt;
		if (passedMs >= atMs && passedMs < atMs + forMs) throw new Error('Driver not Connected');
		checkCaller();
	};
	const workers: EngineWorker[] = [];
	// Once renewed, a turn lasts for 40 seconds more, less what the clocks differ by.
	const share = plan.outage === undefined ? 1 : 1 / 4;
	for (const skewMs of plan.skewsMs) workers.push(await EngineWorker.start(skewMs * share));
	const [first] = workers;
	const executions = plan.executions.map(({ worker, rows, afterMs, hasKeys }, index) => ({
		afterMs,
		start: async () => {
			passesAt = Math.min(passesAt, performance.now());
			const items = Array.from({ length: rows }, (_, row) => ({ id: `${index}-${row}` }));
			// Without n8n's store, an item with a key fails.
			const isKeyed = hasKeys && plan.outage === undefined;
			const options = isKeyed ? { uniqueKey: '={{ $json.id }}' } : {};
			const parameters = { ...GENERATE, options };
			const chosen = workers[worker % workers.length];
			const result = await chosen?.run({
				...service.setup(parameters),
				items,
				settings: ERROR_OUTPUT,
			});
			if (chosen?.isDead === true) return [];
			const outcomes = (result?.items ?? []).map(({ json }) => {
				if (!json.video) return json.videoUrl ? 'told' : 'none';
				return (json.video as { id: string }).id === getOwnVideoId(sandbox, json)
					? 'own'
					: 'another';
			});
			return [
				...outcomes,
				...(result?.errorItems ?? []).map(({ json }) => JSON.stringify(json.error)),
			];
		},
	}));
	const kill = {
		afterMs: plan.killAfterMs ?? 0,
		start: async () => {
			if (plan.killAfterMs !== undefined) first?.kill();
			return await Promise.resolve([]);
		},
	};
	const endings = await playTogether<string[]>(sandbox, [...executions, kill]);
	jest.restoreAllMocks();
	return endings.flatMap(({ result }) => result);
}

test(
	'whatever happens to executions of several workers, no item is given the video of another, and without a kill each its own',
	async () => {
		const property = fc.asyncProperty(plans, async (plan) => {
			const outcomes = await play(plan);
			expect(outcomes).not.toContain('another');
			if (plan.killAfterMs !== undefined) return;
			const count = plan.executions.reduce((sum, { rows }) => sum + rows, 0);
			expect(service.sandbox.charges).toHaveLength(count);
			// A service that stops telling has told several to begin.
			if (plan.settings.videoUrlInDetails === 'everyOther') return;
			expect(outcomes).toEqual(Array(count).fill('own'));
		});
		await fc.assert(property, {
			seed: SEED,
			numRuns: RUNS,
			// Each try of a smaller plan takes a second.
			endOnFailure: true,
			...(REPLAY !== undefined && { path: REPLAY }),
		});
	},
	3 * 3_600_000,
);
