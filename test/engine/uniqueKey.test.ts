import type { IDataObject, INode } from 'n8n-workflow';
import { DeduplicationStore } from '../support/n8nServer/DeduplicationStore';
import { OPERATIONS } from '../support/engine/OPERATIONS';
import type { NodeResult, NodeSetup } from '../support/engine/runNode';
import { runNode } from '../support/engine/runNode';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();

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

describe('A unique key', () => {
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
		service.sandbox.addFault({ operation: 'queue.add', kind: 'status', status: 400, nth: 1 });
		service.sandbox.addFault({ operation: 'queue.add', kind: 'reset', phase: 'after', nth: 2 });
		await runRows({ settings: ERROR_OUTPUT });
		const { items, errorItems } = await runRows({ settings: ERROR_OUTPUT });
		expect(listPaid()).toEqual(['row 2', 'row 3', 'row 1']);
		expect(items).toHaveLength(1);
		expect(errorItems).toHaveLength(2);
	});

	test.each([
		['still taken', false],
		['free again, as Stop may leave it', true],
	])(
		'that could not be freed, and is %s, is taken by a later try of its item',
		async (_, isFree) => {
			service.sandbox.addFault({ operation: 'queue.add', kind: 'status', status: 400, nth: 1 });
			// The first item's key is recorded by call 1, and removed by call 2.
			store.failingCalls.add(2);
			const failed = await runRows();
			expect(failed.error?.httpCode).toBe('400');
			if (isFree) store = new DeduplicationStore().use();
			const { items } = await runRows({ failed });
			expect(items).toHaveLength(3);
			await runRows();
			expect(listPaid()).toEqual(['row 1', 'row 2', 'row 3']);
		},
	);

	test('of another item is not freed by an item whose key was changed before a retry', async () => {
		await runRows({ items: [{ id: 9, prompt: 'row 9' }] });
		service.sandbox.addFault({ operation: 'queue.add', kind: 'status', status: 400, nth: 1 });
		const items = [{ id: 1, prompt: 'row 1' }];
		// The key of this item is recorded, and cannot be removed.
		store.failingCalls.add(store.calls + 2);
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

	test("sends nothing when n8n's record of the keys fails, and is free then", async () => {
		store.failingCalls.add(1);
		const { error } = await runRows();
		expect(error?.message).toBe("n8n's record of the unique keys could not be used");
		expect(service.sandbox.requests).toEqual([]);
		const { items } = await runRows();
		expect(items).toHaveLength(3);
	});

	test('is kept until 10,000 later ones are', async () => {
		store.fill('w1', 'Video Generation', 9_999);
		const settings = ERROR_OUTPUT;
		await runRows({ settings, items: [{ id: 'key-0' }, { id: 'new' }, { id: 'newer' }] });
		expect(service.sandbox.charges).toHaveLength(2);
		const { errorItems } = await runRows({ settings, items: [{ id: 'key-1' }, { id: 'key-0' }] });
		expect(errorItems.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }]);
		expect(service.sandbox.charges).toHaveLength(3);
	});
});
