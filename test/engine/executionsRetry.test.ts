import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { DeduplicationStore } from '../support/engine/DeduplicationStore';
import { OPERATIONS } from '../support/engine/OPERATIONS';
import type { NodeResult, NodeSetup } from '../support/engine/runNode';
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

	test('looks at no video again that could not be told from others', async () => {
		failAdd({ kind: 'status', status: 400, nth: 3 });
		const parameters = { ...WAITING, waitOptions: { videosAtOnce: 2 } };
		const failed = await run(parameters);
		const [first, second] = listPaidIds();
		service.sandbox.clearRequests();
		const { items } = await run(parameters, THREE, { failed });
		expect(items.map(({ json }) => json.videoCandidateCount)).toEqual([2, 2, undefined]);
		const addresses = service.sandbox.requests.map(({ url }) => url).join();
		expect(addresses).not.toContain(first);
		expect(addresses).not.toContain(second);
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

	test('after a failed download only downloads', async () => {
		service.sandbox.addFault({ kind: 'status', status: 404, operation: 'video.file', nth: 1 });
		const downloading = { ...WAITING, downloadVideo: true };
		const failed = await run(downloading, THREE.slice(0, 1));
		expect(failed.error?.message).toContain('There is no video at this address');
		expect(failed.error?.description).toContain("The link in 'videoUrl' may have expired");
		service.sandbox.clearRequests();
		const { items } = await run(downloading, THREE.slice(0, 1), { failed });
		expect(items[0]?.binary?.data?.mimeType).toBe('video/mp4');
		expect(items[0]?.json).toMatchObject({ queueId: listPaidIds()[0], status: 'completed' });
		expect(service.sandbox.requests.map(({ operation }) => operation)).toEqual(['video.file']);
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

	test.each([
		['its own video', 'product-teaser', undefined],
		['no video, since it has failed', 'broken-storyboard', 'The video could not be generated'],
	])(
		'gives an item that was seen at its end, and has left the queue since, %s',
		async (_what, project, message) => {
			const projectId = { __rl: true, mode: 'id', value: `project-${project}` };
			const parameters = { ...WAITING, projectId, downloadVideo: true };
			const fault = { kind: 'status', status: 503, operation: 'video.getAll' } as const;
			const id = service.sandbox.addFault(fault);
			const failed = await run(parameters, THREE.slice(0, 1));
			expect(failed.error).toBeDefined();
			service.sandbox.removeFault(id);
			service.sandbox.addFault({ kind: 'status', status: 404, operation: 'queue.getProgress' });
			const { error, items } = await run(parameters, THREE.slice(0, 1), { failed });
			expect(error?.message).toBe(message);
			if (message === undefined) expect(items[0]?.binary?.data?.mimeType).toBe('video/mp4');
		},
	);

	test('takes an item for cleared that another row of the run has cleared', async () => {
		const [queueId = ''] = await service.queueVideos(1);
		const failed = await run(OPERATIONS['queue.clear'], [{ queueId }, { queueId }]);
		const retried = failed.error
			? await run(OPERATIONS['queue.clear'], [{ queueId }, { queueId }], { failed })
			: failed;
		expect(retried.items.map(({ json }) => json)).toEqual([
			{ queueId, deleted: true },
			{ queueId, deleted: true },
		]);
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

	test('is a failure for an item that was never there', async () => {
		const { error } = await run(
			OPERATIONS['queue.clear'],
			[{ queueId: '00000000-0000-4000-8000-000000000000' }],
			RETRY,
		);
		expect(error?.httpCode).toBe('404');
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

	type Setup = Partial<Omit<NodeSetup, 'failed'>> & { failed?: NodeResult };

	const startRows = async ({ items = ROWS, parameters = KEYED, failed, ...setup }: Setup = {}) =>
		await runNode({
			...service.setup(parameters),
			...{ items, ...setup },
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

	test('is free again after a refusal or if the service could not be reached, and used after an unknown fate', async () => {
		const { credentials } = service.setup(KEYED);
		await runRows({ credentials: { ...credentials, baseUrl: 'http://127.0.0.1:1' } });
		failAdd({ kind: 'status', status: 400, nth: 1 });
		failAdd({ kind: 'reset', phase: 'after', nth: 2 });
		await runRows({ settings: ERROR_OUTPUT });
		const { items, errorItems } = await runRows({ settings: ERROR_OUTPUT });
		expect(listPaid()).toEqual(['row 2', 'row 3', 'row 1']);
		expect(items).toHaveLength(1);
		expect(errorItems).toHaveLength(2);
	});

	test('never refuses a later try of its own item, even when it could not be freed', async () => {
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
		['={{ $json.nothing }}', 'is empty'],
		['={{ ["a"] }}', 'must be text'],
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
		store.fill('w1', 'Video Generation', 9_999);
		const { errorItems, items } = await runRows({
			items: [{ id: 'key-0' }, { id: 'new' }, { id: 'one more' }, { id: 'key-9998' }],
			settings: ERROR_OUTPUT,
		});
		expect(items).toHaveLength(1);
		expect(errorItems.map(({ json }) => json)).toMatchObject([
			{ error: 'A video was already queued for this key, or may have been' },
			{
				error: 'This node cannot keep another unique key',
				message: expect.stringContaining('replace the node with a copy of it') as string,
			},
			{ error: 'A video was already queued for this key, or may have been' },
		]);
		expect(service.sandbox.requests).toHaveLength(1);
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
