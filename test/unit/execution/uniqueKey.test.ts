import type { IExecuteSingleFunctions } from 'n8n-workflow';
import type { Job } from '../../../nodes/VideoGeneration/execution/job';
import {
	confirmKey,
	getUniqueKey,
	releaseKey,
} from '../../../nodes/VideoGeneration/execution/uniqueKey';

/** Creates the context of an item; n8n keeps records for most nodes, and only for saved workflows. */
const createContext = (id = 'w1', helpers: object = { checkProcessedAndRecord: () => undefined }) =>
	({
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
		expect(getUniqueKey(createContext(), { uniqueKey })).toBe(expected);
	});

	test('that is not set is none', () => {
		expect(getUniqueKey(createContext(''), {})).toBeUndefined();
	});

	test.each([
		['an empty one', ' ', createContext(), "'Unique Key' is empty", /^Enter a value.*its ID/],
		['a list', [1], createContext(), "'Unique Key' must be text", /^It is a list/],
		['one of an older agent', 'a', createContext('w1', {}), /this agent$/, /newer AI Agent/],
		['one of a new workflow', 'a', createContext(''), /a saved workflow$/, /Save it and run it/],
	])(
		'is refused before anything is sent: %s',
		(_which, uniqueKey, context, message, description) => {
			const get = () => getUniqueKey(context, { uniqueKey });
			expect(get).toThrow(message);
			expect(get).toThrow(
				expect.objectContaining({
					description: expect.stringMatching(
						new RegExp(`${description.source}.*Nothing was sent`),
					) as string,
				}) as Error,
			);
		},
	);
});

test('An add without a key waits for no key of another', async () => {
	const checkProcessedAndRecord = async () => await new Promise(() => undefined);
	const context = createContext('w1', { checkProcessedAndRecord });
	void confirmKey({ context, uniqueKey: 'a' } as Job);
	await expect(releaseKey({ context } as Job)).resolves.toBeUndefined();
});
