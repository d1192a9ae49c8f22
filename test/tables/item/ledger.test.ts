import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { AgentOrder } from '../../../nodes/VideoGeneration/item/earlierCalls';
import { keepPlain, Ledger } from '../../../nodes/VideoGeneration/item/ledger';

/** Of n8n's Agents, whose calls share nothing. */
const context = {
	getItemIndex: () => 0,
	getNode: () => ({ name: 'Tool', type: 'videoGenerationTool', parameters: {} }),
	getExecuteData: () => ({ node: { name: 'Agent' } }),
	getExecutionId: () => undefined,
	getContext: () => {
		throw new Error('`executionData` is not initialized');
	},
} as unknown as IExecuteSingleFunctions;

const FACTS = { kind: 'uncertain' } as const;
const HOUR_MS = 3_600_000;

test('An unknown fate, where calls share nothing, is known for an hour, of the same order of the same account', () => {
	jest.useFakeTimers();
	jest.advanceTimersByTime(HOUR_MS);
	const create = (order: unknown, account = 1) => new AgentOrder(context, account, order);
	create('sea').keepUnknownFate(FACTS);
	const find = (order: unknown, account?: number) => create(order, account).findUnknownFate();
	expect([find('sea'), find('sea', 2), find('city')]).toEqual([FACTS, undefined, undefined]);
	jest.advanceTimersByTime(HOUR_MS - 1);
	expect(find('sea')).toBe(FACTS);
	jest.advanceTimersByTime(1);
	expect(find('sea')).toBeUndefined();
	jest.useRealTimers();
});

test('Nothing that is known of one queue item is taken for that of another', () => {
	const ledger = new Ledger(context);
	const known = {
		stage: 'finished' as const,
		queueId: 'a',
		details: { status: 'completed' },
		finished: { video: null },
		unidentified: { count: 2 },
		gone: FACTS,
	};
	ledger.keep(known);
	ledger.keepAwaited({ queueId: 'a' });
	expect(ledger.state).toEqual(known);
	ledger.keepAwaited({ queueId: 'b' });
	expect(ledger.state).toEqual({ stage: 'new', queueId: 'b' });
});

test('Of a response, plain fields are kept with short texts and whole IDs and addresses, and nothing that may be secret', () => {
	const address = `https://example.com/${'a'.repeat(300)}`;
	const plain = { queueId: 'q'.repeat(300), generationProgress: 5, isNew: true, projectId: null };
	const long = { videoUrl: address, status: 'p'.repeat(300), video: { id: 'v', apiKey: 'k' } };
	const secret = { customPrompt: 'The sea', apiKey: 'k', accessToken: 't', errorMessage: 'e' };
	const other = { missing: undefined, nested: { a: 1 }, list: [1] };
	const short = { videoUrl: address, status: 'p'.repeat(200), video: { id: 'v' } };
	expect(keepPlain({ ...plain, ...long, ...secret, ...other })).toEqual({ ...plain, ...short });
});
