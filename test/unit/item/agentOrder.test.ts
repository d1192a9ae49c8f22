import { EventEmitter, once } from 'node:events';
import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { AgentOrder } from '../../../nodes/VideoGeneration/item/ledger';

/** Of n8n's Agents, whose calls share nothing. */
const context = {
	getNode: () => ({ name: 'Tool', type: 'videoGenerationTool' }),
	getExecuteData: () => ({ node: { name: 'Tool' } }),
	getExecutionId: () => undefined,
	getContext: () => {
		throw new Error('`executionData` is not initialized');
	},
} as unknown as IExecuteSingleFunctions;

const FACTS = { kind: 'uncertain' } as const;
const HOUR_MS = 3_600_000;

const create = (order: unknown, account = 1) => new AgentOrder(context, account, order);
const isKnown = (order: unknown, account?: number) =>
	create(order, account).findUnknownFate() !== undefined;

beforeEach(() => {
	jest.useFakeTimers();
	jest.advanceTimersByTime(HOUR_MS);
});

afterEach(() => {
	jest.useRealTimers();
});

test('Where calls share nothing, an unknown fate is known for an hour, of the same order of the same account', () => {
	create('sea').keepUnknownFate(FACTS);
	expect(create('sea').findUnknownFate()).toBe(FACTS);
	expect([isKnown('sea', 2), isKnown('city')]).toEqual([false, false]);
	jest.advanceTimersByTime(HOUR_MS - 1);
	expect(isKnown('sea')).toBe(true);
	jest.advanceTimersByTime(1);
	expect(isKnown('sea')).toBe(false);
});

test('The last 1,000 unknown fates are known', () => {
	for (let order = 0; order <= 1_000; order++) create(order).keepUnknownFate(FACTS);
	expect([isKnown(0), isKnown(1), isKnown(1_000)]).toEqual([false, true, true]);
});

test('An order that is stopped while it waits is not placed, and the next one still waits for the first', async () => {
	const { signal } = new AbortController();
	const stop = new AbortController();
	const placed: string[] = [];
	const place = (name: string) => async () => {
		placed.push(name);
		await Promise.resolve();
	};
	const response = new EventEmitter();
	const first = create('sea').takeTurn(async () => {
		await once(response, 'end');
	}, signal);
	const stopped = create('sea').takeTurn(place('stopped'), stop.signal);
	const next = create('sea').takeTurn(place('next'), signal);
	stop.abort();
	await expect(stopped).rejects.toMatchObject({ kind: 'cancelled' });
	expect(placed).toEqual([]);
	response.emit('end');
	await Promise.all([first, next]);
	expect(placed).toEqual(['next']);
});
