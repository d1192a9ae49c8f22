import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { DeduplicationStore } from '../support/engine/DeduplicationStore';
import { OPERATIONS } from '../support/engine/OPERATIONS';
import type { NodeResult } from '../support/engine/runNode';
import { runNode } from '../support/engine/runNode';
import { runTools } from '../support/engine/runTools';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
let store = new DeduplicationStore();
beforeEach(() => {
	store = new DeduplicationStore().use();
});

const ADD = {
	...OPERATIONS['queue.add'],
	customPrompt: '={{ $json.prompt }}',
	options: { uniqueKey: '={{ $json.id }}' },
};
const ROWS: IDataObject[] = [1, 2, 3].map((id) => ({ id, prompt: `row ${id}` }));
const ERROR_OUTPUT: Partial<INode> = { onError: 'continueErrorOutput' };
const RETRY: Partial<INode> = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1000 };

interface Setup {
	items?: IDataObject[];
	parameters?: INodeParameters;
	settings?: Partial<INode>;
	failed?: NodeResult;
}

const start = async ({ items = ROWS, parameters = ADD, settings = {}, failed }: Setup = {}) =>
	await runNode({
		...service.setup(parameters),
		...{ items, settings },
		...(failed && { failed: failed.run }),
	});
const run = async (setup: Setup = {}) =>
	await runWithoutWaiting(async () => await start(setup), service.sandbox);

const failAdd = (fault: FaultSpec) =>
	service.sandbox.addFault({ ...fault, operation: 'queue.add' });
const listPaid = () => service.sandbox.charges.map(({ customPrompt }) => customPrompt);

describe('A unique key', () => {
	test('is used once in all executions of the node', async () => {
		await run();
		const { items, errorItems } = await run({
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
		const { errorItems } = await run({ items, settings: ERROR_OUTPUT });
		expect(listPaid()).toEqual(['row 1', 'row 2']);
		expect(errorItems).toMatchObject([{ pairedItem: { item: 2 } }]);
	});

	test('that was used ends the run of a node that is set to stop', async () => {
		await run({ items: ROWS.slice(0, 1) });
		const { error } = await run();
		expect(error?.message).toBe('A video was already queued for this key, or may have been');
		expect(listPaid()).toEqual(['row 1']);
	});

	test('is free again after a refusal, and used after an unknown fate', async () => {
		failAdd({ kind: 'status', status: 400, nth: 1 });
		failAdd({ kind: 'reset', phase: 'after', nth: 2 });
		await run({ settings: ERROR_OUTPUT });
		const { items, errorItems } = await run({ settings: ERROR_OUTPUT });
		expect(listPaid()).toEqual(['row 2', 'row 3', 'row 1']);
		expect(items).toHaveLength(1);
		expect(errorItems).toHaveLength(2);
	});

	test('is free again if the service could not be reached', async () => {
		const { credentials, ...setup } = service.setup(ADD);
		const unreachable = { ...credentials, baseUrl: 'http://127.0.0.1:1' };
		const { error } = await runWithoutWaiting(
			async () => await runNode({ ...setup, credentials: unreachable, items: ROWS }),
		);
		expect(error).toBeDefined();
		const { items } = await run();
		expect(items).toHaveLength(3);
	});

	test('never refuses a later try of its own item', async () => {
		failAdd({ kind: 'status', status: 400, nth: 3 });
		const { items, error } = await run({ settings: RETRY });
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
		const failed = await run();
		expect(failed.error?.httpCode).toBe('400');
		const { items } = await run({ failed });
		expect(items).toHaveLength(3);
		expect(listPaid()).toEqual(['row 1', 'row 2', 'row 3']);
	});

	test('of another item is not freed by an item whose key was changed before a retry', async () => {
		await run({ items: [{ id: 9, prompt: 'row 9' }] });
		failAdd({ kind: 'status', status: 400, nth: 1 });
		const items = [{ id: 1, prompt: 'row 1' }];
		// The key of this item is recorded, counted, and cannot be removed.
		store.failingCalls.add(store.calls + 3);
		const failed = await run({ items });
		const changed = { ...ADD, options: { uniqueKey: '9' } };
		await run({ items, parameters: changed, failed });
		await run({ items, parameters: changed });
		expect(listPaid()).toEqual(['row 9']);
	});

	test('is used once by two executions that run at the same time', async () => {
		store.delayMs = 5;
		service.sandbox.configure({ latencyMs: 20 });
		const results = await Promise.all(
			[1, 2].map(async () => await start({ settings: ERROR_OUTPUT })),
		);
		expect(listPaid().sort()).toEqual(['row 1', 'row 2', 'row 3']);
		const count = (output: 'items' | 'errorItems') =>
			results.reduce((sum, result) => sum + result[output].length, 0);
		expect([count('items'), count('errorItems')]).toEqual([3, 3]);
	});

	test.each(['', '  ', '={{ $json.nothing }}', '={{ null }}', '={{ {} }}'])(
		'that is set and is %j fails the item before anything is sent',
		async (uniqueKey) => {
			const { error } = await run({ parameters: { ...ADD, options: { uniqueKey } } });
			expect(error?.message).toBe("'Unique Key' is empty");
			expect(service.sandbox.requests).toEqual([]);
		},
	);

	test('is not needed: without the option, n8n is asked for no keys', async () => {
		const { items } = await run({ parameters: { ...ADD, options: {} } });
		expect(items).toHaveLength(3);
		expect(store.calls).toBe(0);
	});

	test.each([1, 2])(
		"sends nothing when call %d to n8n's record of the keys fails, and is free then",
		async (call) => {
			store.failingCalls.add(call);
			const { error } = await run();
			expect(error?.message).toBe("n8n's record of the unique keys could not be used");
			expect(service.sandbox.requests).toEqual([]);
			const { items } = await run();
			expect(items).toHaveLength(3);
		},
	);

	test('beyond 10,000 fails before anything is sent, and none of the others is dropped', async () => {
		store.fill('w1', 'Video Generation', 10_000);
		const { errorItems } = await run({
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
			parameters: { ...ADD, customPrompt: 'a', options: { uniqueKey: 'a' } },
			credentials: { baseUrl: service.sandbox.url, apiKey: service.sandbox.apiKey },
			calls: [[{ prompt: 'a' }]],
		});
		expect(answer).toContain("'Unique Key' cannot be used by this agent");
	});
});
