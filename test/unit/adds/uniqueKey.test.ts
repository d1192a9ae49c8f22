import type { IExecuteSingleFunctions } from 'n8n-workflow';
import type { VideoOrder } from '../../../nodes/VideoGeneration/adds/sendAdd';
import { withKey } from '../../../nodes/VideoGeneration/adds/uniqueKey';
import type { Job } from '../../../nodes/VideoGeneration/item/job';
import { getOrder } from '../../../nodes/VideoGeneration/resources/order';

/** Creates the context of an item; n8n keeps records for most nodes, and only for saved workflows. */
const createContext = (
	options: object,
	id = 'w1',
	helpers: object = { checkProcessedAndRecord: () => undefined },
) =>
	({
		getNodeParameter: (name: string) =>
			({
				projectId: 'p1',
				options,
				'options.uniqueKey': (options as { uniqueKey?: unknown }).uniqueKey,
			})[name],
		getNode: () => ({ name: 'Video Generation', type: 't' }),
		getItemIndex: () => 0,
		getWorkflow: () => ({ id }),
		helpers,
	}) as unknown as IExecuteSingleFunctions;

describe('A unique key', () => {
	test.each([
		[' row 1 ', 'row 1'],
		[7, '7'],
	])('%j is the text %j', (uniqueKey, expected) => {
		expect(getOrder(createContext({ uniqueKey }), false).uniqueKey).toBe(expected);
	});

	test('that is not set is none', () => {
		expect(getOrder(createContext({}, ''), false).uniqueKey).toBeUndefined();
	});

	test.each([
		['an empty one', 'w1', ' ', /^'Unique Key' is empty. Enter a value.*its ID/],
		['a list', 'w1', [1], /^'Unique Key' must be text. It is a list/],
		['one of a new workflow', '', 'a', /^'Unique Key' cannot be used here. n8n keeps.*Save the/],
	])('is refused before anything is sent: %s', (_which, id, uniqueKey, expected) => {
		try {
			getOrder(createContext({ uniqueKey }, id), false);
			throw new Error('It was not refused');
		} catch (error) {
			const { message, description } = error as { message: string; description: string };
			expect(`${message}. ${description}`).toMatch(expected);
			expect(description).toMatch(/Nothing was (sent|queued)/);
		}
	});
});

test('An add without a key waits for no key of another', async () => {
	const checkProcessedAndRecord = async () => await new Promise(() => undefined);
	const context = createContext({}, 'w1', { checkProcessedAndRecord });
	const create = (order: object) =>
		({ context, ledger: { state: {} }, order, run: { signal: {} } }) as unknown as Job<VideoOrder>;
	void withKey(create({ uniqueKey: 'a' }), async () => await Promise.resolve('never'));
	const paid = withKey(create({}), async () => await Promise.resolve('paid'));
	await expect(paid).resolves.toBe('paid');
});
