import { stringify } from 'flatted';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { DeduplicationStore } from '../support/engine/DeduplicationStore';
import { OPERATIONS } from '../support/engine/OPERATIONS';
import type { NodeResult } from '../support/engine/runNode';
import { runNode, startNode } from '../support/engine/runNode';
import { runTools } from '../support/engine/runTools';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
const ADD = { ...OPERATIONS['queue.add'], customPrompt: '={{ $json.prompt }}' };
const WAITING = { ...ADD, waitForCompletion: true };
const RETRY: Partial<INode> = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1000 };
const THREE: IDataObject[] = ['one', 'two', 'three'].map((prompt) => ({ prompt }));

/** Runs the node; with a failed result, presses Executions > Retry instead. */
const run = async (
	parameters: INodeParameters = ADD,
	items: IDataObject[] = THREE,
	{ failed, ...settings }: Partial<INode> & { failed?: NodeResult } = {},
) =>
	await runWithoutWaiting(
		async () =>
			await runNode({
				...service.setup(parameters),
				...{ items, settings },
				...(failed && { failed: failed.run }),
			}),
		service.sandbox,
	);

const failAdd = (fault: FaultSpec) =>
	service.sandbox.addFault({ ...fault, operation: 'queue.add' });

const listSent = () =>
	service.sandbox.requests
		.filter(({ operation }) => operation === 'queue.add')
		.map(({ body }) => (body as { customPrompt?: string }).customPrompt);

const count = (operation: string) =>
	service.sandbox.requests.filter((request) => request.operation === operation).length;

const listPaidIds = () => service.sandbox.charges.map(({ queueId }) => queueId);
const save = (result: NodeResult) => stringify(result.run.data);

describe('Executions > Retry', () => {
	test('sends no accepted add again after the node was set to another operation and back', async () => {
		failAdd({ kind: 'status', status: 400, nth: 2 });
		const failed = await run(ADD, THREE.slice(0, 2));
		const clear = { resource: 'queue', operation: 'clear', queueId: 'none' };
		const cleared = await run(clear, THREE.slice(0, 2), { failed });
		expect(cleared.error).toBeDefined();
		await run(ADD, THREE.slice(0, 2), { failed: cleared });
		expect(listSent()).toEqual(['one', 'two', 'two']);
	});

	test('of a stopped execution says of an add under way that it may have been queued', async () => {
		failAdd({ kind: 'hang', phase: 'after' });
		const started = await startNode({ ...service.setup(ADD), items: THREE.slice(0, 1) });
		await service.sandbox.waitForRequests({ operation: 'queue.add', count: 1 });
		started.stop();
		const { error, run: retried } = await run(ADD, THREE.slice(0, 1), {
			failed: await started.result,
		});
		expect(retried.status).toBe('error');
		expect(error?.description).toContain('may have been queued');
		expect(listSent()).toEqual(['one']);
	});

	test('sends what was refused, and no add again that was accepted', async () => {
		failAdd({ kind: 'status', status: 400, nth: 2 });
		const failed = await run();
		expect(failed.error?.httpCode).toBe('400');
		const { items, error } = await run(ADD, THREE, { failed });
		expect(error).toBeUndefined();
		expect(listSent()).toEqual(['one', 'two', 'two', 'three']);
		expect(items.map(({ json }) => json.queueId)).toEqual(listPaidIds());
		expect(items[0]?.json).toMatchObject({
			projectId: ADD.projectId.value,
			status: 'pending',
			generationProgress: 0,
			videoUrl: null,
			createdAt: expect.stringMatching(/^\d{4}-/) as string,
		});
	});

	test('of a failed retry goes on where that one stood', async () => {
		failAdd({ kind: 'status', status: 400, nth: 2 });
		failAdd({ kind: 'status', status: 403, nth: 4 });
		const failed = await run();
		const failedAgain = await run(ADD, THREE, { failed });
		expect(failedAgain.error?.httpCode).toBe('403');
		const { items } = await run(ADD, THREE, { failed: failedAgain });
		expect(listSent()).toEqual(['one', 'two', 'two', 'three', 'three']);
		expect(items.map(({ json }) => json.queueId)).toEqual(listPaidIds());
	});

	test('adds nothing after an unknown fate, however often it is pressed', async () => {
		failAdd({ kind: 'reset', phase: 'after', nth: 2 });
		let result = await run();
		for (let retry = 0; retry < 3; retry++) {
			result = await run(ADD, THREE, { failed: result, retryOnFail: true, waitBetweenTries: 1000 });
			expect(result.error).toMatchObject({
				message: 'The connection to the video service broke before its response was complete',
				httpCode: 'ECONNRESET',
				description: expect.stringContaining('may have been queued') as string,
			});
		}
		expect(listSent()).toEqual(['one', 'two']);
	});

	test('with a prompt that was changed meanwhile queues no item again', async () => {
		failAdd({ kind: 'status', status: 400, nth: 3 });
		const failed = await run();
		const { items } = await run({ ...ADD, customPrompt: 'changed' }, THREE, { failed });
		expect(listSent()).toEqual(['one', 'two', 'three', 'changed']);
		expect(items.map(({ json }) => json.queueId)).toEqual(listPaidIds());
	});

	test.each([
		['an empty Unique Key', { options: { uniqueKey: '={{ $json.id }}' } }],
		['a failing Unique Key', { options: { uniqueKey: "={{ $('Removed').item.json.id }}" } }],
		['an empty prompt', { overwriteSettings: true, customPrompt: '' }],
	])('with %s by now tells what became of an add all the same', async (_, changed) => {
		failAdd({ kind: 'reset', phase: 'after', nth: 2 });
		const failed = await run(WAITING);
		const onError = 'continueRegularOutput';
		const retried = await run({ ...WAITING, ...changed }, THREE, { failed, onError });
		const [finished, unknown, unsent] = retried.items.map(({ json }) => json);
		expect(finished).toMatchObject({ queueId: listPaidIds()[0], status: 'completed' });
		expect(unknown).toMatchObject({
			message: expect.stringContaining('may have been queued') as string,
			details: { mayBeQueued: true },
		});
		expect(unsent).toMatchObject({ details: { mayBeQueued: false } });
		expect(listSent()).toEqual(['one', 'two']);

		const stopped = await run({ ...ADD, ...changed }, THREE, { failed });
		expect(stopped.error?.description).toContain('may have been queued');
	});

	test('that fails at one item names the others that may have been queued', async () => {
		failAdd({ kind: 'reset', phase: 'after', nth: 2 });
		const failed = await run(WAITING);
		const changed = { ...WAITING, waitOptions: { pollingInterval: 0 } };
		const { error } = await run(changed, THREE, { failed });
		expect(error?.message).toBe("'Polling Interval' must be 1 second or more");
		expect(error?.context).toMatchObject({
			...{ itemIndex: 0, mayBeQueued: true, acceptedQueueIds: listPaidIds().slice(0, 1) },
		});
		expect(error?.description).toMatch(/Other items that may have been queued.*: item 1\.$/);
	});

	test('with another operation chosen meanwhile begins anew', async () => {
		failAdd({ kind: 'status', status: 400, nth: 3 });
		const failed = await run();
		const { items } = await run({ ...OPERATIONS['account.get'] }, THREE, { failed });
		expect(items).toHaveLength(3);
		expect(count('account.get')).toBe(3);
	});

	test('waits for a video that was queued before a timeout', async () => {
		service.sandbox.configure({ durations: { processingMs: 40_000 } });
		const waiting = { ...WAITING, waitOptions: { timeout: 30 } };
		const failed = await run(waiting, THREE.slice(0, 1));
		expect(failed.error?.message).toContain('not finished within 30 seconds');
		const { items } = await run(waiting, THREE.slice(0, 1), { failed });
		expect(items[0]?.json).toMatchObject({ queueId: listPaidIds()[0], status: 'completed' });
		expect(listSent()).toEqual(['one']);
	});

	test('after a failed download only downloads', async () => {
		service.sandbox.addFault({ kind: 'status', status: 404, operation: 'video.file', nth: 1 });
		const downloading = { ...WAITING, downloadVideo: true };
		const failed = await run(downloading, THREE.slice(0, 1));
		expect(failed.error?.message).toContain('There is no video at this address');
		service.sandbox.clearRequests();
		const { items } = await run(downloading, THREE.slice(0, 1), { failed });
		expect(items[0]?.binary?.data?.mimeType).toBe('video/mp4');
		expect(items[0]?.json).toMatchObject({ queueId: listPaidIds()[0], status: 'completed' });
		expect(service.sandbox.requests.map(({ operation }) => operation)).toEqual(['video.file']);
	});

	test('takes no item for cleared because another one was', async () => {
		const [first = '', second = '', other = ''] = await service.queueVideos(3);
		const refusal = { kind: 'status', status: 403, operation: 'queue.clear' } as const;
		service.sandbox.addFault({ ...refusal, nth: 2 });
		const items = [{ queueId: first }, { queueId: second }];
		const failed = await run(OPERATIONS['queue.clear'], items);
		expect(failed.error?.httpCode).toBe('403');
		service.sandbox.clearRequests();
		service.sandbox.addFault(refusal);
		const settings = { failed, retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
		await run({ ...OPERATIONS['queue.clear'], queueId: other }, items, settings);
		// Both items, in both tries.
		expect(count('queue.clear')).toBe(4);
	});

	test('clears no item again that was cleared, and takes "not found" for a success where it may have been', async () => {
		const queueIds = await service.queueVideos(3);
		const clear = OPERATIONS['queue.clear'];
		service.sandbox.addFault({
			...{ kind: 'status', status: 500, phase: 'after', operation: 'queue.clear' },
			...{ containing: queueIds[1] ?? '', times: 4 },
		});
		const items = queueIds.map((queueId) => ({ queueId }));
		const failed = await run(clear, items);
		expect(failed.error?.httpCode).toBe('500');
		const retried = await run(clear, items, { failed });
		expect(retried.error).toBeUndefined();
		expect(retried.items.map(({ json }) => json)).toEqual(
			queueIds.map((queueId) => ({ queueId, deleted: true })),
		);
	});
});

describe('Retry On Fail of Clear', () => {
	test('is a success for an item whose repetition was ended by another item', async () => {
		const queueIds = await service.queueVideos(2);
		const [first = '', second = ''] = queueIds;
		const fault = { operation: 'queue.clear', times: 1 } as const;
		service.sandbox.addFault({
			...fault,
			kind: 'status',
			status: 503,
			phase: 'after',
			containing: first,
		});
		service.sandbox.addFault({ ...fault, kind: 'status', status: 403, containing: second });
		service.sandbox.addFault({ ...fault, kind: 'latency', delayMs: 50, containing: second });
		const items = queueIds.map((queueId) => ({ queueId }));
		const result = await run(OPERATIONS['queue.clear'], items, RETRY);
		expect(result.error).toBeUndefined();
		expect(result.items.map(({ json }) => json.queueId)).toEqual(queueIds);
	});

	test('is a success for the items that an earlier try has cleared', async () => {
		const queueIds = await service.queueVideos(2);
		service.sandbox.addFault({
			...{ kind: 'status', status: 503, operation: 'queue.clear' },
			...{ containing: queueIds[1] ?? '', times: 4 },
		});
		const items = queueIds.map((queueId) => ({ queueId }));
		const result = await run(OPERATIONS['queue.clear'], items, RETRY);
		expect(result.error).toBeUndefined();
		expect(result.items.map(({ json }) => json.queueId)).toEqual(queueIds);
	});

	test('is a failure for an item that was never there', async () => {
		const { error } = await run(
			OPERATIONS['queue.clear'],
			[{ queueId: '00000000-0000-4000-8000-000000000000' }],
			RETRY,
		);
		expect(error?.httpCode).toBe('404');
	});
});

describe('What n8n keeps of the items', () => {
	test('is nothing once every item has succeeded', async () => {
		failAdd({ kind: 'status', status: 400, nth: 2 });
		const result = await run(ADD, THREE, RETRY);
		expect(result.error).toBeUndefined();
		expect(save(result)).not.toContain('videoGeneration":');
	});

	test('holds neither prompts nor keys', async () => {
		failAdd({ kind: 'status', status: 400, nth: 3 });
		const failed = await run();
		const [entry] = failed.run.data.executionData?.nodeExecutionStack ?? [];
		const kept = JSON.stringify(entry?.metadata);
		for (const id of listPaidIds()) expect(kept).toContain(id);
		expect(kept).not.toContain(service.sandbox.apiKey);
		expect(kept).not.toMatch(/"(one|two|three)"/);
	});

	test('takes 150 bytes for an item at most', async () => {
		const items = Array.from({ length: 301 }, () => ({ prompt: 'same' }));
		service.sandbox.setCredits('main', 1_000);
		failAdd({ kind: 'status', status: 400, nth: 301 });
		const failed = await run(ADD, items);
		const { executionData } = failed.run.data;
		const size = save(failed).length;
		for (const { metadata } of executionData?.nodeExecutionStack ?? []) {
			delete (metadata as Record<string, unknown>).videoGeneration;
		}
		for (const tasks of Object.values(failed.run.data.resultData.runData)) {
			for (const { metadata } of tasks) {
				delete (metadata as Record<string, unknown> | undefined)?.videoGeneration;
			}
		}
		expect((size - save(failed).length) / 300).toBeLessThan(150);
	});
});

describe('A unique key', () => {
	let store = new DeduplicationStore();

	beforeEach(() => {
		store = new DeduplicationStore().use();
	});

	const KEYED = {
		...OPERATIONS['queue.add'],
		customPrompt: '={{ $json.prompt }}',
		options: { uniqueKey: '={{ $json.id }}' },
	};

	const ROWS: IDataObject[] = [1, 2, 3].map((id) => ({ id, prompt: `row ${id}` }));

	const ERROR_OUTPUT: Partial<INode> = { onError: 'continueErrorOutput' };

	interface Setup {
		items?: IDataObject[];
		parameters?: INodeParameters;
		settings?: Partial<INode>;
		failed?: NodeResult;
	}

	const startRows = async ({
		items = ROWS,
		parameters = KEYED,
		settings = {},
		failed,
	}: Setup = {}) =>
		await runNode({
			...service.setup(parameters),
			...{ items, settings },
			...(failed && { failed: failed.run }),
		});

	const runRows = async (setup: Setup = {}) =>
		await runWithoutWaiting(async () => await startRows(setup), service.sandbox);

	const listPaid = () => service.sandbox.charges.map(({ customPrompt }) => customPrompt);

	test('is used once in all executions of the node', async () => {
		await runRows();
		const { items, errorItems } = await runRows({
			items: [...ROWS, { id: 4, prompt: 'row 4' }],
			settings: ERROR_OUTPUT,
		});
		expect(listPaid()).toEqual(['row 1', 'row 2', 'row 3', 'row 4']);
		expect(items).toHaveLength(1);
		expect(errorItems.map(({ json }) => json)).toMatchObject(
			['1', '2', '3'].map((uniqueKey) => ({
				error: 'A video was already queued for this key, or may have been',
				message: expect.stringContaining(`The key is "${uniqueKey}".`) as string,
				details: { uniqueKey, mayBeQueued: false },
			})),
		);
	});

	test('that stands in a run twice is used by the first item', async () => {
		const items = [...ROWS.slice(0, 2), { id: '1 ', prompt: 'again' }];
		const { errorItems } = await runRows({ items, settings: ERROR_OUTPUT });
		expect(listPaid()).toEqual(['row 1', 'row 2']);
		expect(errorItems).toMatchObject([{ pairedItem: { item: 2 } }]);
	});

	test('that was used ends the run of a node that is set to stop', async () => {
		await runRows({ items: ROWS.slice(0, 1) });
		const { error } = await runRows();
		expect(error?.message).toBe('A video was already queued for this key, or may have been');
		expect(listPaid()).toEqual(['row 1']);
	});

	test('is free again after a refusal, and used after an unknown fate', async () => {
		failAdd({ kind: 'status', status: 400, nth: 1 });
		failAdd({ kind: 'reset', phase: 'after', nth: 2 });
		await runRows({ settings: ERROR_OUTPUT });
		const { items, errorItems } = await runRows({ settings: ERROR_OUTPUT });
		expect(listPaid()).toEqual(['row 2', 'row 3', 'row 1']);
		expect(items).toHaveLength(1);
		expect(errorItems).toHaveLength(2);
	});

	test('is free again if the service could not be reached', async () => {
		const { credentials, ...setup } = service.setup(KEYED);
		const unreachable = { ...credentials, baseUrl: 'http://127.0.0.1:1' };
		const { error } = await runWithoutWaiting(
			async () => await runNode({ ...setup, credentials: unreachable, items: ROWS }),
		);
		expect(error).toBeDefined();
		const { items } = await runRows();
		expect(items).toHaveLength(3);
	});

	test('never refuses a later try of its own item', async () => {
		failAdd({ kind: 'status', status: 400, nth: 3 });
		const { items, error } = await runRows({ settings: RETRY });
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.queueId)).toEqual(
			service.sandbox.charges.map(({ queueId }) => queueId),
		);
		expect(listPaid()).toEqual(['row 1', 'row 2', 'row 3']);
	});

	test('never refuses a later try of its own item either when it could not be freed', async () => {
		failAdd({ kind: 'status', status: 400, nth: 1 });
		// The first item's key is recorded by call 1, counted by call 2, and removed by call 3.
		store.failingCalls.add(3);
		const failed = await runRows();
		expect(failed.error?.httpCode).toBe('400');
		const { items } = await runRows({ failed });
		expect(items).toHaveLength(3);
		expect(listPaid()).toEqual(['row 1', 'row 2', 'row 3']);
	});

	test('of another item is not freed by an item whose key was changed before a retry', async () => {
		await runRows({ items: [{ id: 9, prompt: 'row 9' }] });
		failAdd({ kind: 'status', status: 400, nth: 1 });
		const items = [{ id: 1, prompt: 'row 1' }];
		// The key of this item is recorded, counted, and cannot be removed.
		store.failingCalls.add(store.calls + 3);
		const failed = await runRows({ items });
		const changed = { ...KEYED, options: { uniqueKey: '9' } };
		await runRows({ items, parameters: changed, failed });
		await runRows({ items, parameters: changed });
		expect(listPaid()).toEqual(['row 9']);
	});

	test('is used once by two executions that run at the same time', async () => {
		store.delayMs = 5;
		service.sandbox.configure({ latencyMs: 20 });
		const results = await Promise.all(
			[1, 2].map(async () => await startRows({ settings: ERROR_OUTPUT })),
		);
		expect(listPaid().sort()).toEqual(['row 1', 'row 2', 'row 3']);
		const count = (output: 'items' | 'errorItems') =>
			results.reduce((sum, result) => sum + result[output].length, 0);
		expect([count('items'), count('errorItems')]).toEqual([3, 3]);
	});

	test.each([
		...['', '  ', '={{ $json.nothing }}', '={{ null }}'].map((key) => [key, 'is empty']),
		...['={{ {} }}', '={{ ["a"] }}', '={{ Number($json.no) }}'].map((key) => [key, 'must be text']),
	])(
		'that is set and is %j fails the item before anything is sent: it %s',
		async (key, problem) => {
			const { error } = await runRows({ parameters: { ...KEYED, options: { uniqueKey: key } } });
			expect(error?.message).toBe(`'Unique Key' ${problem}`);
			expect(service.sandbox.requests).toEqual([]);
		},
	);

	test('that is used costs nothing of the credits to keep: the new row below the old ones is queued', async () => {
		await runRows();
		service.sandbox.setCredits('main', 11);
		const { items, errorItems } = await runRows({
			items: [...ROWS, { id: 4, prompt: 'row 4' }, { id: 5, prompt: 'row 5' }],
			parameters: { ...KEYED, options: { ...KEYED.options, creditsToKeep: 10 } },
			settings: ERROR_OUTPUT,
		});
		expect(errorItems.map(({ json }) => json.error)).toEqual([
			...ROWS.map(() => 'A video was already queued for this key, or may have been'),
			'There are not enough credits to queue this video',
		]);
		expect(items).toHaveLength(1);
		expect(listPaid()).toEqual(['row 1', 'row 2', 'row 3', 'row 4']);
		// The key of the row that did not fit was not used.
		service.sandbox.setCredits('main', 1);
		await runRows({ items: [{ id: 5, prompt: 'row 5' }] });
		expect(listPaid()).toHaveLength(5);
	});

	test('that was freed after n8n had saved the execution, as Stop may do, is taken again by its retry', async () => {
		const items = ROWS.slice(0, 1);
		service.sandbox.addFault({ kind: 'status', status: 400, operation: 'queue.add', nth: 1 });
		// Recorded by call 1, counted by call 2, not freed by call 3.
		store.failingCalls.add(3);
		const failed = await runRows({ items });
		store = new DeduplicationStore().use();
		await runRows({ items, failed });
		await runRows({ items });
		expect(listPaid()).toEqual(['row 1']);
	});

	test.each(['accepted', 'of unknown fate'])(
		'of an add that is %s is recorded again if another worker overwrote the record',
		async (fate) => {
			const items = ROWS.slice(0, 1);
			if (fate !== 'accepted') {
				service.sandbox.addFault({ kind: 'reset', phase: 'after', operation: 'queue.add', nth: 1 });
			}
			const stop = service.sandbox.onRequest(() => {
				stop();
				store.clear();
			});
			await runRows({ items });
			const { errorItems } = await runRows({ items, settings: ERROR_OUTPUT });
			expect(errorItems.map(({ json }) => json.error)).toEqual([
				'A video was already queued for this key, or may have been',
			]);
			expect(listPaid()).toEqual(['row 1']);
		},
	);

	test('is not needed: without the option, n8n is asked for no keys', async () => {
		const { items } = await runRows({ parameters: { ...KEYED, options: {} } });
		expect(items).toHaveLength(3);
		expect(store.calls).toBe(0);
	});

	test.each([1, 2])(
		"sends nothing when call %d to n8n's record of the keys fails, and is free then",
		async (call) => {
			store.failingCalls.add(call);
			const { error } = await runRows();
			expect(error?.message).toBe("n8n's record of the unique keys could not be used");
			expect(service.sandbox.requests).toEqual([]);
			const { items } = await runRows();
			expect(items).toHaveLength(3);
		},
	);

	test('beyond 10,000 fails before anything is sent, and none of the others is dropped', async () => {
		store.fill('w1', 'Video Generation', 10_000);
		const { errorItems } = await runRows({
			items: [{ id: 'key-0' }, { id: 'new' }, { id: 'key-9999' }],
			settings: ERROR_OUTPUT,
		});
		expect(errorItems.map(({ json }) => json.error)).toEqual([
			'A video was already queued for this key, or may have been',
			'This node cannot keep another unique key',
			'A video was already queued for this key, or may have been',
		]);
		expect(service.sandbox.requests).toEqual([]);
	});

	test('is refused in a sentence where n8n keeps no keys for the tools of an agent', async () => {
		const [answer = ''] = await runTools({
			parameters: { ...KEYED, customPrompt: 'a', options: { uniqueKey: 'a' } },
			credentials: { baseUrl: service.sandbox.url, apiKey: service.sandbox.apiKey },
			calls: [[{ prompt: 'a' }]],
		});
		expect(answer).toContain("'Unique Key' cannot be used by this agent");
	});
});
