import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { IDataObject } from 'n8n-workflow';
import { DeduplicationStore } from '../support/n8nServer/DeduplicationStore';
import { GENERATE, OPERATIONS } from '../support/engine/OPERATIONS';
import { ERROR_OUTPUT, type NodeSetup, startNode } from '../support/engine/runNode';
import { runTools } from '../support/engine/runTools';
import { passTime, runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useSandbox } from '../support/engine/useSandbox';
import { like } from '../support/like';

const service = useSandbox();
const { listPaid } = service;

let store = new DeduplicationStore();

afterEach(() => jest.restoreAllMocks());

beforeEach(() => {
	store = new DeduplicationStore().use();
});

const KEYED = { ...OPERATIONS['queue.add'], options: { uniqueKey: '={{ $json.id }}' } };

const KEYED_VIDEO = { ...GENERATE, options: KEYED.options };

const ROWS: IDataObject[] = [1, 2, 3].map((id) => ({ id, prompt: `row ${id}` }));
const ONE = ROWS.slice(0, 1);
const FOUR = [...ROWS, { id: 4, prompt: 'row 4' }];

const USED = "The 'Unique Key' of this item was used, and its video was not returned";
const DONE = "The video of this 'Unique Key' was returned before";

const runRows = async ({ parameters = KEYED, ...setup }: Partial<NodeSetup> = {}) =>
	await service.run(parameters, { items: ROWS, ...setup });

/** Has the service refuse the add with this number. */
const refuse = (nth: number) =>
	service.sandbox.addFault({ operation: 'queue.add', kind: 'status', status: 400, nth });

/** Has the service break the connection after it has accepted the add with this number. */
const lose = (nth: number) =>
	service.sandbox.addFault({ operation: 'queue.add', kind: 'reset', phase: 'after', nth });

describe('A unique key', () => {
	test('is used once in all executions of the node, which does not learn what became of a video that it does not wait for', async () => {
		await runRows();
		const { items, errorItems } = await runRows({ items: FOUR, settings: ERROR_OUTPUT });
		expect(listPaid()).toEqual(['row 1', 'row 2', 'row 3', 'row 4']);
		expect(items).toHaveLength(1);
		expect(errorItems.map(({ json }) => json)).toMatchObject(
			['1', '2', '3'].map((uniqueKey) => ({
				error: USED,
				message: like(new RegExp(`The key is "${uniqueKey}"\\.`)),
				details: { uniqueKey, mayBeQueued: false },
			})),
		);
	});

	test('belongs to the ID of the node: a copy of it queues the rows again', async () => {
		for (const settings of [ERROR_OUTPUT, { id: 'a copy' }, ERROR_OUTPUT]) {
			await runRows({ items: ONE, settings });
		}
		expect(listPaid()).toEqual(['row 1', 'row 1']);
	});

	test('is free again after a refusal or if the service could not be reached, and used after an unknown fate', async () => {
		const { credentials } = service.setup(KEYED);
		await runRows({ credentials: { ...credentials, baseUrl: 'http://127.0.0.1:1' } });
		refuse(1);
		lose(2);
		await runRows({ settings: ERROR_OUTPUT });
		const { items, errorItems } = await runRows({ settings: ERROR_OUTPUT });
		expect(listPaid()).toEqual(['row 2', 'row 3', 'row 1']);
		expect(items).toHaveLength(1);
		expect(errorItems).toHaveLength(2);
	});

	test('that could not be freed is taken by a later try of its item', async () => {
		refuse(1);
		// The first item's key is claimed by call 1, checked by call 2, and removed by call 3.
		store.failingCalls.add(3);
		const failed = await runRows();
		expect(failed.error?.httpCode).toBe('400');
		expect((await runRows({ failed: failed.run })).items).toHaveLength(3);
		await runRows();
		expect(listPaid()).toEqual(['row 1', 'row 2', 'row 3']);
	});

	test('of another item is not freed by an item whose key was changed before a retry', async () => {
		await runRows({ items: [{ id: 9, prompt: 'row 9' }] });
		refuse(1);
		// The key of this item is recorded, and cannot be removed.
		store.failingCalls.add(store.calls + 3);
		const { run: failed } = await runRows({ items: ONE });
		const changed = { ...KEYED, options: { uniqueKey: '9' } };
		await runRows({ items: ONE, parameters: changed, failed });
		await runRows({ items: ONE, parameters: changed });
		expect(listPaid()).toEqual(['row 9']);
	});

	test('that is used costs nothing of the credits to keep: the new row below the old ones is queued', async () => {
		await runRows();
		service.sandbox.setCredits('main', 11);
		const { items, errorItems } = await runRows({
			items: [...FOUR, { id: 5, prompt: 'row 5' }],
			parameters: { ...KEYED, options: { ...KEYED.options, creditsToKeep: 10 } },
			settings: ERROR_OUTPUT,
		});
		expect(errorItems.map(({ json }) => json.error)).toEqual([
			...ROWS.map(() => USED),
			'There are not enough credits to queue this video',
		]);
		expect(items).toHaveLength(1);
		expect(listPaid()).toEqual(['row 1', 'row 2', 'row 3', 'row 4']);
		// The key of the row that did not fit was not used.
		service.sandbox.setCredits('main', 1);
		await runRows({ items: [{ id: 5, prompt: 'row 5' }] });
		expect(listPaid()).toHaveLength(5);
	});

	test('that was freed without an answer is not paid again by a retry once another execution has used it', async () => {
		refuse(1);
		// n8n carries the removal out, and its answer is lost.
		const { removeProcessed } = store;
		store.removeProcessed = async (...args) => {
			const isLost = store.calls === 2;
			await removeProcessed.apply(store, args);
			if (isLost) throw new Error('Connection terminated unexpectedly');
		};
		const { run: failed } = await runRows({ items: ONE });
		await runRows({ items: ONE });
		await runRows({ items: ONE, failed });
		expect(listPaid()).toEqual(['row 1']);
	});

	// The second call asks whether the record was kept.
	test.each([1, 2])(
		"sends nothing, and is free then, if n8n's record fails at call %d",
		async (nth) => {
			store.failingCalls.add(nth);
			const { error } = await runRows();
			expect(error?.message).toBe("n8n's record of the unique keys could not be used");
			expect(service.sandbox.requests).toEqual([]);
			expect((await runRows()).items).toHaveLength(3);
		},
	);

	test('is kept until 10,000 later rows are', async () => {
		store.fill('w1', 'Video Generation', 29_996);
		const settings = ERROR_OUTPUT;
		const toRows = (...ids: string[]) => ids.map((id) => ({ id, prompt: id }));
		const items = toRows('key-0', 'new', 'newer');
		const fill = await runRows({ settings, parameters: KEYED_VIDEO, items });
		expect(fill.items).toHaveLength(2);
		await runRows({ settings, items: toRows('key-2', 'key-1', 'key-0') });
		expect(listPaid()).toEqual(['new', 'newer', 'key-1', 'key-0']);
	});

	test("that another worker records first, as the node's first record, is read once more", async () => {
		store.overtakenCalls.add(1);
		const { items, error } = await runRows();
		expect(error).toBeUndefined();
		expect(items).toHaveLength(3);
		await runRows({ settings: ERROR_OUTPUT });
		expect(listPaid()).toHaveLength(3);
	});
});

describe('A row', () => {
	const runVideos = async (setup: Partial<NodeSetup> = {}) =>
		await runRows({ parameters: KEYED_VIDEO, ...setup });

	test.each([undefined, 'continueErrorOutput'] as const)(
		'whose video came out is left out with On Error %s, whatever the account has: the new one is made, and hint and log count the others',
		async (onError) => {
			await runVideos();
			service.sandbox.setCredits('main', 2);
			service.sandbox.clearRequests();
			const info = jest.spyOn(Container.get(Logger), 'info');
			const { items, errorItems, error, run } = await runVideos({
				items: FOUR,
				parameters: { ...KEYED_VIDEO, options: { ...KEYED.options, creditsToKeep: 1 } },
				settings: onError ? { onError } : {},
			});
			expect([error, errorItems]).toEqual([undefined, []]);
			expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 3 }]);
			expect(listPaid()).toEqual(['row 1', 'row 2', 'row 3', 'row 4']);
			const [task] = run.data.resultData.runData['Video Generation'] ?? [];
			expect(task?.hints?.map(({ message }) => message)).toEqual([
				like(/^Items that were left out.*'Unique Key' was returned before: 3\. If a/),
			]);
			const lines = info.mock.calls.map(([line]) => line);
			expect(lines.filter((line) => line.startsWith('Left out 3 items'))).toHaveLength(1);
			service.sandbox.clearRequests();
			expect((await runVideos({ items: FOUR })).items).toEqual([]);
			expect(service.sandbox.requests).toEqual([]);
		},
	);

	test.each([
		['is late', ONE, { timeout: 30 }, /^The video was not finished/],
		['was dropped by n8n with its failed run', ROWS.slice(0, 2), {}, /rejected the request/],
	])(
		'whose video %s is an error, until a retry of its execution returns it',
		async (_how, items, waitOptions, message) => {
			service.sandbox.configure({ durations: { processingMs: 40_000 } });
			refuse(2);
			const parameters = { ...KEYED_VIDEO, waitOptions };
			const { error, run: failed } = await runVideos({ items, parameters });
			expect(error?.message).toMatch(message);
			const again = await runVideos({ items: ONE, settings: ERROR_OUTPUT });
			expect(again.errorItems[0]?.json).toMatchObject({
				error: USED,
				message: like(/^The key is "1".*under Executions and in Video > Get Many/),
				details: { uniqueKey: '1', mayBeQueued: false },
			});
			expect((await runVideos({ items, failed })).items).toHaveLength(items.length);
			expect(await runVideos({ items })).toMatchObject({ items: [], error: undefined });
			expect(listPaid()).toEqual(items.map(({ prompt }) => prompt));
		},
	);

	test('whose video came out without its address, or whose file could not be had, is an error', async () => {
		service.sandbox.configure({ durations: { processingMs: 10_000 } });
		const [first, second, third] = ROWS;
		await runVideos({
			items: [first, second],
			parameters: { ...KEYED_VIDEO, waitOptions: { videosAtOnce: 2 } },
		});
		service.sandbox.addFault({ kind: 'status', status: 404, operation: 'video.file' });
		passTime(60 * 60 * 1000);
		await runVideos({ items: [third], parameters: { ...KEYED_VIDEO, downloadVideo: true } });
		const { errorItems } = await runVideos({ settings: ERROR_OUTPUT });
		expect(errorItems.map(({ json }) => json.error)).toEqual([USED, USED, USED]);
		expect(service.sandbox.charges).toHaveLength(3);
	});

	test.each([
		[
			'is an error if its execution is stopped while it is noted that its video came out',
			true,
			USED,
		],
		["is left out, though n8n's database fails when that is noted", false, undefined],
	])('%s', async (_, isStopped, error) => {
		const { removeProcessed } = store;
		let removals = 0;
		await runWithoutWaiting(async () => {
			const setup = { ...service.setup(KEYED_VIDEO), items: ONE, settings: ERROR_OUTPUT };
			const started = await startNode(setup);
			store.removeProcessed = async (...call) => {
				if (String(call[0]).includes('has not come out')) {
					removals += 1;
					if (isStopped) started.stop();
					else if (removals === 1) throw new Error('Driver not Connected');
				}
				await removeProcessed.apply(store, call);
			};
			await started.result;
		}, service.sandbox);
		const { items, errorItems } = await runVideos({ items: ONE, settings: ERROR_OUTPUT });
		expect(items).toEqual([]);
		expect(errorItems[0]?.json.error).toBe(error);
		expect(removals).toBeGreaterThan(0);
	});

	describe('whose video came out while the first one failed,', () => {
		const settings = { ...ERROR_OUTPUT, retryOnFail: true, maxTries: 2, waitBetweenTries: 1_000 };

		test('is an error if the execution is stopped in a later try of Retry On Fail', async () => {
			refuse(1);
			await runWithoutWaiting(async () => {
				const started = await startNode({ ...service.setup(KEYED_VIDEO), items: ROWS, settings });
				// The first row's second one.
				const added = { operation: 'queue.add', count: 4, timeoutMs: 600_000 } as const;
				await service.sandbox.waitForRequests(added);
				started.stop();
				await started.result;
			}, service.sandbox);
			const { errorItems } = await runVideos({ settings: ERROR_OUTPUT });
			expect(errorItems.map(({ json }) => json.error)).toEqual([USED, USED, USED]);
		});

		test('is left out after the last try', async () => {
			refuse(1);
			refuse(4);
			expect((await runVideos({ settings })).errorItems).toHaveLength(1);
			const { items } = await runVideos();
			expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }]);
		});
	});

	test('in a loop is an error when its video came out before: an empty round would end the loop', async () => {
		const loop = { isInLoop: true, items: ONE };
		expect((await runVideos(loop)).items).toHaveLength(1);
		const { items, errorItems } = await runVideos({ ...loop, settings: ERROR_OUTPUT });
		expect(items).toEqual([]);
		expect(errorItems[0]?.json).toMatchObject({
			error: DONE,
			message: like(/connect the error output of this node with the loop/),
			details: { uniqueKey: '1' },
		});
	});

	test.each([
		["={{ 'row-' + $('Input').item.json.idd }}", 'a', 'b'],
		["={{ 'row-' + $json.id }}", null, null],
		['=row-{{ $json.id }}', '', ' '],
		["=row-{{ $json.idd ?? '' }}", 'a', 'b'],
		['={{ $json.prompt }}-{{ $json.row_number + 0 }}', 'a', 'b'],
		["={{ [$json.prompt, $json.idd].join('-') }}", 'a', 'b'],
	])(
		'is an error as %s without a value of the row: it would be that of all such rows',
		async (uniqueKey, ...ids) => {
			const parameters = { ...KEYED_VIDEO, options: { uniqueKey } };
			for (const id of ids) {
				const { error } = await service.run(parameters, { items: [{ id, prompt: 'The sea' }] });
				expect(error?.message).toMatch(
					/^An expression in 'Unique Key' has no value|'Unique Key' names the field/,
				);
			}
			expect(service.listPaid()).toEqual([]);
		},
	);

	test.each([
		["={{ $json.email || 'anonymous' }} {{ $now.toISODate() }}", 1],
		["={{ $('After').isExecuted ? $('After').item.json.id : $json.id }}", 2],
		["={{ $json.id || $('After').item.json.id }}", 2],
	])('may say what it is without a value: %s', async (uniqueKey, count) => {
		const parameters = { ...KEYED_VIDEO, options: { uniqueKey } };
		const items = ROWS.slice(0, 2).map((row) => ({ ...row, email: '' }));
		await runVideos({ items, parameters, settings: ERROR_OUTPUT });
		expect(service.listPaid()).toHaveLength(count);
	});

	test('with the key of another row of its run is an error, whatever became of that one', async () => {
		const rows = [ROWS[0], { ...ROWS[1], id: 1 }];
		const { items, errorItems } = await runVideos({ items: rows, settings: ERROR_OUTPUT });
		expect(items).toHaveLength(1);
		expect(errorItems.map(({ json, pairedItem }) => [json.error, pairedItem])).toEqual([
			["Another item of this run has the same 'Unique Key'", { item: 1 }],
		]);
	});

	test('of an agent tells its model that the video came out before', async () => {
		const uniqueKey = "={{ $fromAI('id', 'the ID', 'string') }}";
		const parameters = { ...KEYED_VIDEO, customPrompt: 'The sea', options: { uniqueKey } };
		const calls = [[{ id: 'a' }], [{ id: 'a' }]];
		const [first, second] = await runWithoutWaiting(
			async () => await runTools({ ...service.setup(parameters), calls, way: 'steps' }),
			service.sandbox,
		);
		expect(first).toContain('"status":"completed"');
		expect(second).toContain(`${DONE}. The key is`);
		expect(second).not.toContain('error output');
		expect(service.sandbox.charges).toHaveLength(1);
	});
});
