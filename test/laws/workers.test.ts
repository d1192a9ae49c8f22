/*
 * Random executions of one to five processes of n8n that share its deduplication store, at one service. Each process has
 * the built nodes, a clock of its own, and may be killed at any await: before or after any write of the store, or request.
 */

import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { SettingsChange } from '../../sandbox/domain/settings';
import { DeduplicationStore } from '../support/n8nServer/DeduplicationStore';
import { EngineWorker } from '../support/engine/EngineWorker';
import { GENERATE, OPERATIONS, PROJECT, WAIT } from '../support/engine/OPERATIONS';
import { playTogether } from '../support/engine/playTogether';
import { ERROR_OUTPUT } from '../support/engine/runNode';
import { useSandbox } from '../support/engine/useSandbox';
import { testPlans } from './testPlans';

const service = useSandbox();

afterEach(() => jest.restoreAllMocks());

const seconds = (min: number, max: number) => fc.integer({ min: min * 1000, max: max * 1000 });

/** How a call of the store goes. */
interface Call {
	/** How long it waits before it reads the row; Infinity if n8n never answers. */
	waitsMs?: number;
	/** How long it takes from reading the row to writing it. */
	takesMs: number;
	/** It fails without a change, or n8n does not tell that it was carried out. */
	lacks?: 'change' | 'answer';
}

const takesMs = fc.constantFrom(1, 3, 15, 15, 40);
const CALM = fc.record({ takesMs });
const draw = (weight: number, arbitrary: fc.Arbitrary<Call>) => ({ weight, arbitrary });

const WILD = fc.oneof(
	draw(60, CALM),
	draw(10, fc.record({ takesMs, waitsMs: fc.integer({ min: 100, max: 4_000 }) })),
	draw(5, fc.record({ takesMs, waitsMs: seconds(10, 300) })),
	draw(1, fc.record({ takesMs, waitsMs: fc.constant(Infinity) })),
	draw(15, fc.record({ takesMs, lacks: fc.constantFrom('change' as const, 'answer' as const) })),
);

/** Where calls overlap for longer than a turn is checked, two processes can have it, and seldom a key. */
const stalling = (max: number) =>
	fc.oneof(draw(3, WILD), draw(1, fc.record({ takesMs: fc.integer({ min: 100, max }) })));

const SILENT: SettingsChange[] = [
	{},
	{ endedItemsLeaveAfterMs: 0 },
	{ durations: { logDelayMs: 8_000 } },
	{ durations: { logDelayMs: -3_000 } },
];

const SERVICES: SettingsChange[] = [
	...SILENT,
	{ videoUrlInDetails: true },
	{ videoUrlInDetails: 'everyOther' },
	{ entriesNameQueueId: 'field' },
	{ videoUrlInDetails: true, endedItemsLeaveAfterMs: 0, finishedItemsStay: true },
	{ entriesNameQueueId: 'field', endedItemsLeaveAfterMs: 0, finishedItemsStay: true },
];

const PROJECTS = [PROJECT, 'project-city-tour'];

const execution = fc.record({
	process: fc.nat(4),
	rows: fc.integer({ min: 1, max: 3 }),
	project: fc.constantFrom(0, 0, 0, 1),
	afterMs: fc.oneof(fc.constant(0), seconds(0, 90)),
	/** The first of its keys, of which several executions may have the same. */
	key: fc.option(fc.nat(6), { nil: undefined }),
	videosAtOnce: fc.constantFrom(undefined, undefined, 1, 2),
	stopAfterMs: fc.option(seconds(0, 200), { nil: undefined, freq: 8 }),
	fails: fc.constantFrom(false, false, false, true),
	/** Whether its rows are queued by Queue > Add, which takes no turn, and then waited for by Queue > Wait. */
	waits: fc.constantFrom(false, false, false, true),
	/** Keys belong to the first one. */
	workflowId: fc.constantFrom('w1', 'w1', 'w1', 'w2'),
});

type Execution = typeof execution extends fc.Arbitrary<infer T> ? T : never;

const PLAIN: Execution = {
	process: 0,
	rows: 1,
	project: 0,
	afterMs: 0,
	key: undefined,
	videosAtOnce: undefined,
	stopAfterMs: undefined,
	fails: false,
	waits: false,
	workflowId: 'w1',
};

interface Plan {
	/** How far each process's clock is ahead. */
	skewsMs: number[];
	executions: Execution[];
	videosMs: number[];
	settings: SettingsChange;
	calls: Call[];
	/** Which process is killed: when a call of the store begins, or when a write, or a request, is carried out. */
	kill?: { process: number; at: 'call' | 'write' | 'request'; nth: number } | undefined;
}

const videosMs = fc.array(seconds(2, 120), { minLength: 20, maxLength: 20 });

const ordinary: fc.Arbitrary<Plan> = fc.record({
	skewsMs: fc.array(fc.constantFrom(0, -10_000, 3_000, 10_000), { minLength: 1, maxLength: 3 }),
	executions: fc.array(
		fc
			.record({
				process: fc.nat(2),
				rows: fc.integer({ min: 1, max: 3 }),
				afterMs: fc.oneof(fc.constant(0), seconds(0, 90)),
				videosAtOnce: fc.constantFrom(undefined, 1),
			})
			.map((drawn): Execution => ({ ...PLAIN, ...drawn })),
		{ minLength: 2, maxLength: 6 },
	),
	videosMs,
	settings: fc.constantFrom(...SILENT),
	calls: fc.array(CALM, { minLength: 1, maxLength: 7 }),
});

const kill = fc.record({
	process: fc.nat(4),
	at: fc.constantFrom('call' as const, 'write' as const, 'request' as const),
	nth: fc.integer({ min: 1, max: 150 }),
});

const wild: fc.Arbitrary<Plan> = fc.record({
	skewsMs: fc.array(fc.constantFrom(0, 0, -10_000, 3_000, 10_000), { minLength: 1, maxLength: 5 }),
	executions: fc.array(execution, { minLength: 2, maxLength: 8 }),
	videosMs,
	settings: fc.constantFrom(...SERVICES),
	calls: fc.oneof(
		fc.array(CALM, { minLength: 1, maxLength: 7 }),
		fc.array(WILD, { minLength: 5, maxLength: 60 }),
		fc.array(stalling(300), { minLength: 5, maxLength: 60 }),
		fc.array(stalling(4_000), { minLength: 5, maxLength: 60 }),
	),
	kill: fc.option(kill, { nil: undefined, freq: 2 }),
});

/** An item of an execution, with its video: its own, another one, none, or the error. */
interface Row {
	prompt: string;
	given: string;
	waits: boolean;
}

/** Makes the calls of a store go as planned. @returns a function that makes all later ones calm */
function spoil(store: DeduplicationStore, calls: Call[], onCall: () => void) {
	let count = 0;
	let isOver = false;
	let gapMs = 0;
	store.later = (_, action) => {
		setTimeout(action, gapMs);
	};
	for (const name of ['checkProcessedAndRecord', 'removeProcessed'] as const) {
		const carryOut = store[name].bind(store) as (...call: unknown[]) => Promise<unknown>;
		const perform = async (...call: unknown[]) => {
			count += 1;
			onCall();
			// Each round begins one call later: the calls of a turn must not meet the same ones for ever.
			const round = Math.floor(count / calls.length);
			const planned = isOver ? undefined : calls[(count + round) % calls.length];
			const { lacks, takesMs: time, waitsMs = 0 }: Call = planned ?? { takesMs: 15 };
			await new Promise<void>((resolve) => {
				if (waitsMs < Infinity) setTimeout(resolve, waitsMs);
			});
			gapMs = time;
			const result = lacks === 'change' ? undefined : await carryOut(...call);
			if (lacks) throw new Error('Connection terminated unexpectedly');
			return result;
		};
		Object.assign(store, { [name]: perform });
	}
	return () => {
		isOver = true;
	};
}

/** Plays a plan. */
async function play({ calls, executions, kill, settings, skewsMs, videosMs }: Plan) {
	const { sandbox } = service;
	sandbox.reset();
	sandbox.configure(settings);
	service.planVideos(...videosMs.map((processingMs) => ({ processingMs })));
	const failing = sandbox.onRequest(({ body }) => {
		const { customPrompt = '' } = (body ?? {}) as { customPrompt?: string };
		for (const id of PROJECTS) sandbox.changeProject(id, { fails: customPrompt.includes('fails') });
	});
	const store = new DeduplicationStore().use();
	EngineWorker.share(store);
	const workers: EngineWorker[] = [];
	for (const skewMs of skewsMs) workers.push(await EngineWorker.start(skewMs));
	const killed = kill && workers[kill.process % workers.length];
	let count = 0;
	const note = (at: string) => {
		if (at === kill?.at && ++count === kill.nth) killed?.kill();
	};
	store.onWrite = note.bind(undefined, 'write');
	const requests = sandbox.onRequest(note.bind(undefined, 'request'));
	const calmDown = spoil(store, calls, note.bind(undefined, 'call'));
	/** Runs an execution. Of a killed process, nothing is known. */
	const run = async (worker: EngineWorker, { stopAfterMs, videosAtOnce, ...plan }: Execution) => {
		const { fails, project, rows, waits, workflowId } = plan;
		const key = waits || workflowId !== 'w1' ? undefined : plan.key;
		const items = Array.from({ length: rows }, (_, row) => {
			const name = key === undefined ? `row ${Math.random()}` : `key ${(key + row) % 7}`;
			return { id: name, prompt: fails ? `${name} fails` : name, project: PROJECTS[project] };
		});
		const waitOptions = videosAtOnce === undefined ? {} : { videosAtOnce };
		const options = key === undefined ? {} : { uniqueKey: '={{ $json.id }}' };
		const play = async (parameters: INodeParameters, input: IDataObject[], stopMs?: number) =>
			await worker.run(
				{ ...service.setup(parameters), items: input, settings: ERROR_OUTPUT, workflowId },
				stopMs,
			);
		const add = {
			...OPERATIONS['queue.add'],
			projectId: GENERATE.projectId,
			customPrompt: GENERATE.customPrompt,
		};
		const added = waits ? (await play(add, items)).items : [];
		const queued = added.map(({ json }) => ({ ...json, project: PROJECTS[project] }));
		const startedAt = performance.now();
		const { items: done, errorItems } = waits
			? await play(WAIT, queued, stopAfterMs)
			: await play({ ...GENERATE, options, waitOptions }, items, stopAfterMs);
		const tookMs = performance.now() - startedAt;
		// Stop ends it within a second.
		if (stopAfterMs !== undefined) expect(tookMs - stopAfterMs).toBeLessThan(1_000);
		if (worker.isDead || tookMs >= (stopAfterMs ?? Infinity)) return [];
		const given = done.map(({ json, pairedItem }): Row => {
			const { prompt = '' } = items[(pairedItem as { item: number }).item] ?? {};
			const [whose = 'none'] = service.listGiven([{ json }]);
			return { prompt, given: whose === 'none' && json.videoUrl ? 'told' : whose, waits };
		});
		const failed = errorItems.map(({ json, pairedItem }): Row => {
			const { prompt = '' } = items[(pairedItem as { item: number }).item] ?? {};
			return { prompt, given: json.error as string, waits };
		});
		return [...given, ...failed];
	};
	const startedAt = sandbox.clock.now();
	const endings = await playTogether<Row[]>(
		sandbox,
		executions.map((plan) => ({
			afterMs: plan.afterMs,
			start: async () => {
				const worker = workers[plan.process % workers.length];
				return worker === undefined || worker.isDead ? [] : await run(worker, plan);
			},
		})),
	);
	calmDown();
	return {
		rows: endings.flatMap(({ result }) => result),
		tookMs: Math.max(...endings.map(({ endedAt }) => endedAt)) - startedAt,
		killed,
		/** Has a process run one more execution, after a time. @returns its rows, and when its first video was paid for */
		goOn: async (worker: EngineWorker, more: Partial<Execution>, afterMs = 0) => {
			const charged = sandbox.charges.length;
			const [ending] = await playTogether(sandbox, [
				{
					afterMs,
					start: async () => await run(worker, { ...PLAIN, ...more }),
				},
			]);
			const paidAt = sandbox.charges[charged]?.at ?? Infinity;
			return { rows: ending?.result ?? [], paidAfterMs: paidAt - (ending?.startedAt ?? 0) };
		},
		workers: workers.filter(({ isDead }) => !isDead),
		countEntries: async () => {
			let count = 0;
			store.onWrite = (entries) => (count = entries.length);
			const ids = { workflow: { id: 'w1' } } as never;
			const ask = store.checkProcessedAndRecord([], 'workflow', ids, { mode: 'entries' });
			await playTogether(sandbox, [{ start: async () => await ask }]);
			return count;
		},
		end: () => {
			failing();
			requests();
			jest.restoreAllMocks();
		},
	};
}

testPlans(
	'on an ordinary day of one to three processes, each item gets its own video, one after the other, and in time',
	ordinary,
	{ usual: 10, share: 2 / 5 },
	async (plan) => {
		const { end, rows, tookMs } = await play(plan);
		const { charges } = service.sandbox;
		const count = plan.executions.reduce((sum, each) => sum + each.rows, 0);
		expect(rows.map(({ given }) => given)).toEqual(Array(count).fill('own'));
		expect(charges).toHaveLength(count);
		// The next one is paid for after the one before has ended.
		const ends = charges.map(({ at }, index) => at + (plan.videosMs[index] ?? NaN));
		for (const [index, { at }] of charges.slice(1).entries()) {
			expect(at).toBeGreaterThanOrEqual(ends[index] ?? NaN);
		}
		// The Listing Delay, two checks, the turn, and 15 s until an item counts as gone.
		const moreMs = plan.settings.endedItemsLeaveAfterMs === 0 ? 40_000 : 25_000;
		const sumMs = plan.videosMs.slice(0, count).reduce((sum, each) => sum + each + moreMs, 0);
		const lastStartMs = Math.max(...plan.executions.map(({ afterMs }) => afterMs));
		expect(tookMs).toBeLessThanOrEqual(lastStartMs + sumMs);
		end();
	},
);

testPlans(
	'whatever happens to up to five processes and to their store, no video is wrong, no key is paid twice, and nothing is left',
	wild,
	{ usual: 10, share: 1 / 5 },
	async (plan) => {
		const { countEntries, end, goOn, killed, rows, workers } = await play(plan);
		const { sandbox } = service;
		const longestMs = Math.max(...plan.calls.map((call) => call.takesMs));
		// Where items leave their queue, a video of Queue > Add, or of another workflow, can be taken for one that takes its turn.
		const isDropping = plan.settings.endedItemsLeaveAfterMs === 0;
		const isExcepted =
			isDropping && plan.executions.some(({ waits, workflowId }) => waits || workflowId !== 'w1');
		const certain = rows.filter(({ waits }) => waits || !isExcepted);
		if (longestMs <= 40) expect(certain.map(({ given }) => given)).not.toContain('another');
		// A turn does not outlive its last item, and a killed one's is over within a minute.
		const fresh = await EngineWorker.start();
		const next = await goOn(fresh, {});
		expect(next.paidAfterMs).toBeLessThan(75_000);
		expect(next.rows).toHaveLength(1);
		// A row that is left out had its video come out before.
		const keyed = await goOn(fresh, { key: 0, rows: 7 });
		const known = new Set(keyed.rows.map(({ prompt }) => prompt));
		const listed = new Set(sandbox.readState().videos.map(({ queueId }) => queueId));
		for (let key = 0; key < 7; key++) {
			const ofKey = (prompt: string | null) => prompt?.replace(' fails', '') === `key ${key}`;
			const paid = sandbox.charges.filter(({ customPrompt }) => ofKey(customPrompt));
			// At slower ones, see tables/adds/uniqueKey.test.ts.
			if (longestMs <= 40) expect([key, paid.length > 1]).toEqual([key, false]);
			const cameOut = rows.some(({ given, prompt }) => ofKey(prompt) && /own|told/.test(given));
			// Of a killed process, n8n may have taken the output without saving it.
			const isDone = killed ? paid.some(({ queueId }) => listed.has(queueId)) : cameOut;
			if (!known.has(`key ${key}`) && !isExcepted) expect([key, isDone]).toEqual([key, true]);
		}
		// An hour later, nothing is owed any more.
		const later = await goOn(fresh, {}, 3_700_000);
		expect(later.rows.map(({ given }) => /own|told/.test(given))).toEqual([true]);
		// What was left an hour ago is removed, but for what a killed process has left.
		for (const worker of workers) await goOn(worker, {}, 3_700_000);
		expect(await countEntries()).toBeLessThanOrEqual(killed ? 30 : 20);
		end();
	},
);
