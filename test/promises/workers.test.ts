/*
 * n8n's queue mode: each worker has a process of its own, and all of them share n8n's deduplication store. The workers
 * of these tests are copies of the package's modules. That three workers lose no key and no turn stands in tables/adds, and
 * that each item is given its own video, one after the other, in laws/workers.test.ts.
 */

import { Container } from '@n8n/di';
import { InstanceSettings } from 'n8n-core';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { SettingsChange } from '../../sandbox/domain/settings';
import { DeduplicationStore } from '../support/n8nServer/DeduplicationStore';
import { EngineWorker } from '../support/engine/EngineWorker';
import { byId, GENERATE, OPERATIONS, PROJECT, WAIT } from '../support/engine/OPERATIONS';
import { type Beginning, playTogether } from '../support/engine/playTogether';
import { ERROR_OUTPUT, type NodeResult, type NodeSetup } from '../support/engine/runNode';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
const { listGiven, listPaid } = service;

let store = new DeduplicationStore();

const setInstance = (type: 'main' | 'worker') =>
	jest.replaceProperty(Container.get(InstanceSettings), 'instanceType', type);

beforeEach(() => {
	store = new DeduplicationStore().use();
	EngineWorker.share(store);
	setInstance('worker');
});

afterEach(() => jest.restoreAllMocks());

/** How long n8n's database takes from reading a row to writing it. */
const WRITE_MS = 15;

const startWorkers = async (...skewsMs: number[]): Promise<EngineWorker[]> => {
	const workers: EngineWorker[] = [];
	for (const skewMs of skewsMs) workers.push(await EngineWorker.start(skewMs));
	return workers;
};

/** An execution of a worker. */
const begin = (
	worker: EngineWorker | undefined,
	setup: Partial<NodeSetup> & Pick<NodeSetup, 'parameters'>,
	afterMs = 0,
): Beginning<NodeResult> => ({
	afterMs,
	start: async () => {
		if (worker === undefined) throw new Error('There is no such worker');
		return await worker.run({ ...service.setup(setup.parameters), ...setup });
	},
});

const KEY = '={{ $json.id }}';

const listRows = (count: number): IDataObject[] =>
	Array.from({ length: count }, (_, id) => ({ id: `key-${id}`, prompt: `row ${id}` }));

describe('A unique key', () => {
	test("is paid once, though another worker's write hangs for ten seconds, and overwrites it while its item waits for its turn", async () => {
		service.sandbox.configure({ durations: { processingMs: 30_000 } });
		let hasHung = false;
		store.later = (_, action) => {
			const isHanging = !hasHung && store.callsOf.node === 1;
			hasHung ||= isHanging;
			setTimeout(action, isHanging ? 10_000 : WRITE_MS);
		};
		const [first, hanging, overwritten] = await startWorkers(0, 0, 0);
		const parameters = { ...GENERATE, customPrompt: '={{ $json.prompt }}' };
		const setup = { items: listRows(1), settings: ERROR_OUTPUT };
		const keyed = { ...setup, parameters: { ...parameters, options: { uniqueKey: KEY } } };
		await playTogether(service.sandbox, [
			begin(first, { ...setup, parameters, items: [{ prompt: 'first' }] }),
			begin(hanging, keyed, 5_000),
			begin(overwritten, keyed, 7_000),
		]);
		expect(hasHung).toBe(true);
		expect(listPaid()).toEqual(['first', 'row 0']);
	});

	test('is paid once, though an execution ends whose claim of it was overwritten, while its item waits for its turn', async () => {
		service.sandbox.configure({ durations: { processingMs: 30_000 } });
		store.later = (_, action) => {
			setTimeout(action, WRITE_MS);
		};
		const [busy, one, other, last] = await startWorkers(0, 0, 0, 0);
		const setup = {
			parameters: { ...GENERATE, options: { uniqueKey: KEY } },
			items: listRows(1),
			settings: ERROR_OUTPUT,
		};
		const stopped = async () =>
			await one?.run({ ...service.setup(setup.parameters), ...setup }, 20_000);
		const tour = { ...setup.parameters, projectId: byId('project-city-tour') };
		await playTogether<unknown>(service.sandbox, [
			begin(busy, { parameters: GENERATE }),
			{ afterMs: 5_000, start: stopped },
			// It reads the row before the other's claim is written, and writes its own after that.
			begin(other, { ...setup, parameters: tour }, 5_001),
			begin(last, setup, 200_000),
		]);
		expect(service.sandbox.charges).toHaveLength(2);
	});

	test('is open in each row of the store until its video comes out, so that it fails after a crash', async () => {
		const rows: (readonly string[])[] = [];
		store.onWrite = (entries) => rows.push(entries);
		const parameters = { ...GENERATE, options: { uniqueKey: KEY } };
		await service.run(parameters, { items: listRows(3) });
		const count = (entries: readonly string[], pattern: RegExp) =>
			entries.filter((entry) => pattern.test(entry)).length;
		const done = rows.filter((row) => count(row, /^key-/) > count(row, /has not come out$/));
		// The last write.
		expect(done).toEqual([['key-0', 'key-1', 'key-2']]);
	});
});

/** Videos that take as long as those of a service with other customers. */
const SECONDS = [30, 55, 20, 41, 33, 90, 25, 37, 62, 44, 28, 51];

/** Has a service drop items, and fail those with this prompt. */
const dropFailing = (settings: SettingsChange = {}) => {
	const { sandbox } = service;
	sandbox.configure({ ...settings, endedItemsLeaveAfterMs: 0, finishedItemsStay: true });
	return sandbox.onRequest(({ body }) => {
		const isFailing = (body as IDataObject | undefined)?.customPrompt === 'failing';
		sandbox.changeProject(PROJECT, { fails: isFailing });
	});
};
const FAILING = { settings: ERROR_OUTPUT, items: [{ prompt: 'failing' }] };

describe('Executions of three workers that make videos of one project', () => {
	test('read the list less than three times a video, beside a batch', async () => {
		service.planVideos(...SECONDS);
		const workers = await startWorkers(0, 0, 0);
		const endings = await playTogether(
			service.sandbox,
			[6, 1, 1, 2, 1, 1].map((count, i) => {
				const items = Array.from({ length: count }, () => ({}));
				return begin(workers[i % 3], { parameters: GENERATE, items }, Math.floor(i / 3) * 700);
			}),
		);
		expect(listGiven(endings.flatMap(({ result }) => result.items))).toEqual(Array(12).fill('own'));
		expect(service.countSent('video.getAll')).toBeLessThan(3 * 12);
	});

	test('have theirs made at the same time once the service has told each worker one', async () => {
		service.sandbox.configure({ videoUrlInDetails: true, durations: { processingMs: 40_000 } });
		const workers = await startWorkers(0, 0, 0);
		const items = Array.from({ length: 4 }, () => ({}));
		const endings = await playTogether(
			service.sandbox,
			workers.map((worker) => begin(worker, { parameters: GENERATE, items })),
		);
		expect(listGiven(endings.flatMap(({ result }) => result.items))).toEqual(Array(12).fill('own'));
		const lasts = endings.map(({ startedAt, endedAt }) =>
			Math.round((endedAt - startedAt) / 60_000),
		);
		expect(lasts.sort()).toEqual([2, 2, 3]);
	});

	test('let a form in after the next video of a batch, whatever the Polling Interval', async () => {
		service.sandbox.configure({ durations: { processingMs: 20_000 } });
		const [one, other] = await startWorkers(0, 0);
		const waitOptions = { pollingInterval: 120 };
		const parameters = { ...GENERATE, customPrompt: '={{ $json.prompt }}' };
		const rows = listRows(5);
		await playTogether(service.sandbox, [
			begin(one, { parameters: { ...parameters, waitOptions }, items: rows }),
			begin(other, { parameters, items: [{ prompt: 'form' }] }, 5_000),
		]);
		expect(listPaid().slice(0, 3)).toEqual(['row 0', 'form', 'row 1']);
	});

	test.each([
		['at once', WRITE_MS],
		['after the next question', 3_000],
	])(
		'read the list before an add if another worker had the turn, of which they hear %s: what that has made is no new video',
		async (_, callMs) => {
			let turns = 0;
			let hasTurn = false;
			store.onWrite = (entries) => {
				const isHeld = entries.some((entry) => entry.startsWith('The turn of'));
				if (isHeld && !hasTurn) turns += 1;
				hasTurn = isHeld;
			};
			// The third one asks alone. Before it, no write overlaps another, which would be lost.
			store.later = (__, action) => {
				if (turns === 3) setTimeout(action, callMs);
				else action();
			};
			service.sandbox.configure({ durations: { processingMs: 5_000 } });
			const [one, other] = await startWorkers(0, 0);
			const form = { parameters: GENERATE };
			await playTogether(service.sandbox, [
				begin(one, form),
				begin(other, form, 1_000),
				begin(one, form, 2_000),
			]);
			const sent = service.listSent();
			const between = sent.slice(0, sent.lastIndexOf('queue.add')).join().split('queue.add').at(-1);
			// The list that settles the second video, and the one before the third.
			expect(between?.match(/video\.getAll/g)).toHaveLength(2);
			expect(turns).toBe(3);
		},
	);

	test('do not wait for each other for ever, where two workflows make videos of one project', async () => {
		service.sandbox.configure({ durations: { processingMs: 30_000 } });
		const [one, other] = await startWorkers(0, 0);
		const items = listRows(3);
		const start = (worker: EngineWorker | undefined, workflowId: string, afterMs: number) =>
			begin(worker, { parameters: GENERATE, items, settings: ERROR_OUTPUT, workflowId }, afterMs);
		const endings = await playTogether(service.sandbox, [
			start(one, 'w2', 0),
			start(one, 'w1', 1_000),
			start(other, 'w1', 0),
			start(other, 'w2', 1_000),
		]);
		// Each of twelve takes 30 s, two checks, the Listing Delay, and the turn.
		expect(Math.max(...endings.map(({ endedAt, startedAt }) => endedAt - startedAt))).toBeLessThan(
			720_000,
		);
	});

	test('wait for no turn that was asked for when the store hung, of an item that is done', async () => {
		service.sandbox.configure({ durations: { processingMs: 20_000 } });
		const HANGS_MS = 300_000;
		let answersAt = Infinity;
		store.later = (__, action) => {
			answersAt = Math.min(answersAt, performance.now() + HANGS_MS);
			setTimeout(action, Math.max(WRITE_MS, answersAt - performance.now()));
		};
		const [worker] = await startWorkers(0);
		const form = { parameters: GENERATE };
		const endings = await playTogether(
			service.sandbox,
			[0, 170_000, 400_000].map((afterMs) => begin(worker, form, afterMs)),
		);
		expect(listGiven(endings.flatMap(({ result }) => result.items))).toEqual(Array(3).fill('own'));
	});

	test.each<[string, SettingsChange]>([
		['its progress', { videoUrlInDetails: true }],
		['the list', { entriesNameQueueId: 'field' }],
	])(
		'are not given the video of another one for a failed row that the service drops, which tells in %s whose a video is',
		async (_, settings) => {
			const { sandbox } = service;
			const stop = dropFailing(settings);
			service.planVideos(10, 10, 30, 12);
			const [one, other] = await startWorkers(0, 0);
			const setup = { parameters: GENERATE, settings: ERROR_OUTPUT };
			const endings = await playTogether(sandbox, [
				begin(one, setup),
				begin(other, setup, 60_000),
				begin(one, setup, 120_000),
				begin(other, { ...setup, items: [{ prompt: 'failing' }] }, 121_000),
			]);
			stop();
			const items = endings.map(({ result }) => result.items);
			expect(listGiven(items.flat())).toEqual(['own', 'own', 'own', 'none']);
		},
	);

	test.each<[string, INodeParameters, { stopAfterMs?: number }]>([
		['is done', {}, {}],
		['is late', { timeout: 10 }, {}],
		['is stopped', {}, { stopAfterMs: 5_000 }],
	])('leave the turn when their video %s', async (how, waitOptions, stopping) => {
		const rows: (readonly string[])[] = [];
		store.onWrite = (entries) => rows.push(entries);
		service.sandbox.configure({ durations: { processingMs: 20_000 } });
		const parameters = { ...GENERATE, waitOptions };
		await playTogether(service.sandbox, [service.begin(parameters, stopping)]);
		const last = rows.at(-1)?.join() ?? '';
		expect(rows.join()).toContain('The turn of');
		expect(last).not.toContain('The turn of');
		// Such a video may still appear.
		expect(last.includes('is owed')).toBe(how === 'is late' || how === 'is stopped');
	});
});

test.each([
	['is owed one', Infinity],
	["is owed one, which n8n's database does not tell any more,", 6],
])(
	'A video that leaves the queue after another process %s is given to none',
	async (_, failsFrom) => {
		service.sandbox.configure({ endedItemsLeaveAfterMs: 0, durations: { processingMs: 20_000 } });
		const rows: (readonly string[])[] = [];
		store.onWrite = (entries) => rows.push(entries);
		// A video that is stopped is owed.
		await playTogether(service.sandbox, [service.begin(GENERATE, { stopAfterMs: 10_000 })]);
		store = new DeduplicationStore().use();
		const ids = { workflow: { id: 'w1' } } as never;
		const [worker] = await startWorkers(0);
		const [ending] = await playTogether(service.sandbox, [
			{
				// The stopped one is listed by then.
				afterMs: 60_000,
				start: async () => {
					const left = [...(rows.at(-1) ?? [])];
					await store.checkProcessedAndRecord(left, 'workflow', ids, { mode: 'entries' });
					store.checkCaller = () => {
						if (store.calls >= failsFrom) throw new Error('Driver not Connected');
					};
					return await begin(worker, { parameters: GENERATE }).start();
				},
			},
		]);
		expect(rows.at(-1)?.join()).toContain('is owed');
		expect(listGiven(ending?.result.items ?? [])).toEqual(['none']);
	},
);

test('An hour after a process was killed, each video that leaves the queue is given again, though others were made all along', async () => {
	service.sandbox.configure({ endedItemsLeaveAfterMs: 0, durations: { processingMs: 40_000 } });
	const [killed, next] = await startWorkers(0, 0);
	const endings = await playTogether(service.sandbox, [
		begin(killed, { parameters: GENERATE }),
		{
			afterMs: 60_000,
			start: async () => {
				killed?.kill();
				return await begin(next, { parameters: GENERATE }).start();
			},
		},
		...Array.from({ length: 24 }, (_, i) =>
			begin(next, { parameters: GENERATE }, (i + 2) * 180_000),
		),
	]);
	const given = endings.slice(1).map(({ result }) => listGiven(result.items).join());
	expect(given.slice(-4)).toEqual(['own', 'own', 'own', 'own']);
});

test('A failed item that the service drops in a turn that its worker has lost is given no video of another one', async () => {
	const stop = dropFailing();
	service.planVideos(260, 45);
	const [one, other] = await startWorkers(0, 0);
	const startedAt = service.sandbox.clock.now();
	store.checkCaller = () => {
		// n8n answers the first worker no more, and later the other one.
		if (store.calls > 6 && Date.now() - startedAt < 100_000)
			throw new Error('Driver not Connected');
	};
	const endings = await playTogether(service.sandbox, [
		begin(one, { parameters: GENERATE, ...FAILING }),
		begin(other, { parameters: GENERATE, settings: ERROR_OUTPUT }, 110_000),
	]);
	stop();
	expect(listGiven(endings.flatMap(({ result }) => result.items))).toEqual(['none', 'own']);
});

test('A video that is waited for without a turn on a worker, and leaves the queue, is given none, since another worker may have made one', async () => {
	service.sandbox.configure({ endedItemsLeaveAfterMs: 0, durations: { processingMs: 20_000 } });
	const [worker] = await startWorkers(0);
	const start = async () => {
		const { items } = await begin(worker, { parameters: OPERATIONS['queue.add'] }).start();
		const added = items.map(({ json }) => json);
		const waiting = begin(worker, { parameters: WAIT, items: added, settings: ERROR_OUTPUT });
		return await waiting.start();
	};
	const [ending] = await playTogether(service.sandbox, [{ start }]);
	const { items = [], errorItems = [] } = ending?.result ?? {};
	expect(listGiven([...items, ...errorItems])).toEqual(['none']);
});

test.each<[string, number, INodeParameters]>([
	['waits for the turn', 0, {}],
	['takes its key', 0, { options: { uniqueKey: 'a' } }],
	['frees its key, and ends its turn', 4, { options: { uniqueKey: 'a' } }],
])(
	"Stop ends an execution that %s within a second, though n8n's store hangs",
	async (_, hangsFrom, more) => {
		store.later = (__, action) => {
			if (store.calls <= hangsFrom) setTimeout(action, WRITE_MS);
		};
		const [worker] = await startWorkers(0);
		const [ending] = await playTogether(service.sandbox, [
			{ start: async () => await worker?.run(service.setup({ ...GENERATE, ...more }), 20_000) },
		]);
		expect((ending?.endedAt ?? Infinity) - (ending?.startedAt ?? 0)).toBeLessThan(21_000);
		expect(service.sandbox.charges).toEqual([]);
	},
);

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
	"A video that leaves the queue after n8n's database has failed at call %d of its turn, and at the next one, is given",
	async (failing) => {
		service.sandbox.configure({ endedItemsLeaveAfterMs: 0, durations: { processingMs: 20_000 } });
		store.failingCalls = new Set([failing, failing + 1]);
		const [worker] = await startWorkers(0);
		const [ending] = await playTogether(service.sandbox, [begin(worker, { parameters: GENERATE })]);
		expect(listGiven(ending?.result.items ?? [])).toEqual(['own']);
	},
);

describe("While n8n's database does not answer,", () => {
	const failFor = (fromMs: number, toMs: number) => {
		const startedAt = service.sandbox.clock.now();
		store.checkCaller = () => {
			const passedMs = Date.now() - startedAt;
			if (passedMs >= fromMs && passedMs < toMs) throw new Error('Driver not Connected');
		};
		return () => service.sandbox.charges.map(({ at }) => at - startedAt);
	};

	test.each(['fails', 'answers late'])(
		'for 20 seconds, no add is sent, and no turn is lost: it %s',
		async (how) => {
			const [fromMs, toMs] = [45_000, 65_000];
			const startedAt = service.sandbox.clock.now();
			const listTimes = failFor(fromMs, how === 'fails' ? toMs : fromMs);
			store.later = (delayMs, action) => {
				const passedMs = Date.now() - startedAt;
				const isLate = how === 'answers late' && passedMs >= fromMs && passedMs < toMs;
				setTimeout(action, isLate ? toMs - passedMs : delayMs);
			};
			service.planVideos(...SECONDS);
			const workers = await startWorkers(0, 0);
			const endings = await playTogether(
				service.sandbox,
				workers.map((worker) => begin(worker, { parameters: GENERATE, items: [{}, {}, {}] })),
			);
			expect(listGiven(endings.flatMap(({ result }) => result.items))).toEqual(
				Array(6).fill('own'),
			);
			expect(listTimes().filter((at) => at >= fromMs && at < toMs)).toEqual([]);
			expect(listTimes()).toHaveLength(6);
		},
	);

	test.each(['fails', 'never answers'])(
		'a store that %s costs a process two minutes once',
		async (how) => {
			const listTimes = failFor(0, Infinity);
			if (how === 'never answers') store.later = () => undefined;
			const [worker] = await startWorkers(0);
			const items = [{}, {}];
			const [ending] = await playTogether(service.sandbox, [
				begin(worker, { parameters: GENERATE, items }),
			]);
			expect(listGiven(ending?.result.items ?? [])).toEqual(['own', 'own']);
			const [first = 0, second = 0] = listTimes();
			expect(first).toBeGreaterThanOrEqual(120_000);
			expect(first).toBeLessThan(140_000);
			expect(second - first).toBeLessThan(40_000);
		},
	);
});

describe('A process that is alone', () => {
	test.each<[string, Partial<NodeSetup>]>([
		['a batch', { items: Array.from({ length: 6 }, () => ({})) }],
		['the rounds of a loop', { times: 6 }],
	])(
		'sends the same requests for %s as where n8n refuses its entries, and writes little',
		async (_, setup) => {
			service.sandbox.configure({ durations: { processingMs: 40_000 } });
			const run = async () => {
				const [worker] = await startWorkers(0);
				service.sandbox.reset();
				service.sandbox.configure({ durations: { processingMs: 40_000 } });
				const [ending] = await playTogether(service.sandbox, [
					begin(worker, { parameters: GENERATE, ...setup }),
				]);
				return { sent: service.listSent(), ms: (ending?.endedAt ?? 0) - (ending?.startedAt ?? 0) };
			};
			const withStore = await run();
			expect(store.calls).toBeLessThanOrEqual(6 * 11);
			store.checkCaller = () => {
				throw new Error('Deduplication data was originally saved with an incompatible setting');
			};
			const without = await run();
			expect(withStore.sent).toEqual(without.sent);
			expect(withStore.ms - without.ms).toBeLessThan(6 * 200);
		},
	);
});

test.each([
	['without a key, no row of its store', {}, 0],
	['with a key, the row of the node alone', { uniqueKey: KEY }, 4],
])("In n8n's regular mode, Video > Generate uses, %s", async (_, options, ofNode) => {
	setInstance('main');
	await service.run({ ...GENERATE, options }, { items: listRows(1) });
	expect(service.sandbox.charges).toHaveLength(1);
	expect(store.callsOf).toEqual({ node: ofNode, workflow: 0 });
});
