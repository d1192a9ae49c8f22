import type { IDataObject } from 'n8n-workflow';
import { OPERATIONS, PROJECT } from '../support/engine/OPERATIONS';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();

const ADD = {
	...OPERATIONS['queue.add'],
	customPrompt: '={{ $json.prompt }}',
	projectId: { __rl: true, mode: 'id', value: '={{ $json.project ?? "' + PROJECT + '" }}' },
};
const FIVE: IDataObject[] = ['one', 'two', 'three', 'four', 'five'].map((prompt) => ({ prompt }));
const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1000 };

/** Returns the prompts of the adds that reached the service, in their order. */
function sentPrompts() {
	return service.sandbox.requests
		.filter(({ operation }) => operation === 'queue.add')
		.map(({ body }) => (body as { customPrompt?: string }).customPrompt);
}

/** Returns the number of videos that the account has paid for. */
function paidCredits() {
	return (
		100 - (service.sandbox.readState().accounts.find(({ id }) => id === 'main')?.credits ?? NaN)
	);
}

describe('Several adds', () => {
	test('are sent one at a time, in the order of the items', async () => {
		service.sandbox.configure({ latencyMs: 20 });
		const unanswered: number[] = [];
		const stopListening = service.sandbox.onRequest(() => {
			unanswered.push(service.sandbox.requests.filter(({ status }) => status === undefined).length);
		});
		const { items } = await service.run(ADD, { items: FIVE });
		stopListening();
		expect(sentPrompts()).toEqual(['one', 'two', 'three', 'four', 'five']);
		expect(unanswered).toEqual([1, 1, 1, 1, 1]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2, 3, 4].map((item) => ({ item })),
		);
		expect(new Set(items.map(({ json }) => json.queueId)).size).toBe(5);
	});

	test('end with the third one when it is refused and the node stops: the error lists what was accepted', async () => {
		service.sandbox.addFault({
			kind: 'status',
			status: 400,
			message: 'Prompt not allowed',
			operation: 'queue.add',
			nth: 3,
		});
		const { error, items } = await service.run(ADD, { items: FIVE });
		expect(sentPrompts()).toEqual(['one', 'two', 'three']);
		expect(items).toEqual([]);
		const queued = service.sandbox.readState().queue.map(({ queueId }) => queueId);
		expect(queued).toHaveLength(2);
		expect(error?.message).toBe('The video service rejected the request (400)');
		expect(error?.description).toContain('The service said: "Prompt not allowed"');
		expect(error?.description).toContain(
			queued.map((queueId) => `${queueId} (pending)`).join(', '),
		);
		expect(error?.context).toMatchObject({ itemIndex: 2, acceptedQueueIds: queued });
		expect(error?.httpCode).toBe('400');
	});

	test('are not paid for twice by Retry On Fail: only what was not accepted is sent again', async () => {
		service.sandbox.addFault({ kind: 'status', status: 400, operation: 'queue.add', nth: 3 });
		const { error, items, found } = await runWithoutWaiting(() =>
			service.run(ADD, { items: FIVE, settings: RETRY }),
		);
		expect(error).toBeUndefined();
		expect(sentPrompts()).toEqual(['one', 'two', 'three', 'three', 'four', 'five']);
		expect(items).toHaveLength(5);
		expect(found.items).toEqual(FIVE);
		expect(paidCredits()).toBe(5);
	});

	test('are not paid for twice by Retry On Fail with an error output either', async () => {
		service.sandbox.addFault({ kind: 'status', status: 400, operation: 'queue.add', nth: 1 });
		const { items, errorItems } = await runWithoutWaiting(() =>
			service.run(ADD, { items: FIVE, settings: { ...RETRY, onError: 'continueErrorOutput' } }),
		);
		expect(sentPrompts()).toEqual(['one', 'two', 'three', 'four', 'five', 'one']);
		expect(items).toHaveLength(5);
		expect(errorItems).toEqual([]);
		expect(paidCredits()).toBe(5);
	});

	test('go on behind a refused one when the node continues on an error', async () => {
		service.sandbox.addFault({ kind: 'status', status: 400, operation: 'queue.add', nth: 3 });
		const { items, errorItems } = await service.run(ADD, {
			items: FIVE,
			settings: { onError: 'continueErrorOutput' },
		});
		expect(sentPrompts()).toEqual(['one', 'two', 'three', 'four', 'five']);
		expect(items).toHaveLength(4);
		expect(errorItems).toHaveLength(1);
	});

	test('cost nothing at all when one of them cannot be sent and the node stops', async () => {
		const parameters = { ...ADD, overwriteSettings: true };
		const { error } = await service.run(parameters, {
			items: [{ prompt: 'one' }, { prompt: '' }, { prompt: 'three' }],
		});
		expect(error?.message).toBe("'Custom Prompt' is empty");
		expect(error?.context.itemIndex).toBe(1);
		expect(service.sandbox.requests).toEqual([]);
	});

	test('cost nothing at all when n8n cannot evaluate a parameter of one of them', async () => {
		const parameters = { ...ADD, customPrompt: "={{ $json.prompt ?? $('Nowhere').item.json.x }}" };
		const { error } = await service.run(parameters, {
			items: [{ prompt: 'one' }, { prompt: 'two' }, {}],
		});
		expect(error).toBeDefined();
		expect(service.sandbox.requests).toEqual([]);
	});

	test('cost nothing at all when that happens in a later batch, while n8n pauses between them', async () => {
		const parameters = {
			...ADD,
			customPrompt: "={{ $json.prompt ?? $('Nowhere').item.json.x }}",
			requestOptions: { batching: { batch: { batchSize: 1, batchInterval: 1000 } } },
		};
		const { error } = await runWithoutWaiting(() =>
			service.run(parameters, { items: [{ prompt: 'one' }, { prompt: 'two' }, {}] }),
		);
		expect(error).toBeDefined();
		expect(service.sandbox.requests).toEqual([]);
	});

	test('cost nothing for the items that cannot be sent when the node continues on an error', async () => {
		const parameters = { ...ADD, overwriteSettings: true };
		const { items, errorItems } = await service.run(parameters, {
			items: [{ prompt: 'one' }, { prompt: '' }, { prompt: 'three' }],
			settings: { onError: 'continueErrorOutput' },
		});
		expect(sentPrompts()).toEqual(['one', 'three']);
		expect(items).toHaveLength(2);
		expect(errorItems[0]).toMatchObject({
			json: { error: "'Custom Prompt' is empty" },
			pairedItem: { item: 1 },
		});
	});

	test('are one when the node runs once', async () => {
		await service.run(ADD, { items: FIVE, settings: { executeOnce: true } });
		expect(sentPrompts()).toEqual(['one']);
	});

	test('are all sent when n8n starts the items in batches with pauses', async () => {
		const requestOptions = { batching: { batch: { batchSize: 2, batchInterval: 1000 } } };
		const { items } = await runWithoutWaiting(() =>
			service.run({ ...ADD, requestOptions }, { items: FIVE }),
		);
		expect(sentPrompts()).toEqual(['one', 'two', 'three', 'four', 'five']);
		expect(items).toHaveLength(5);
	});

	test('with an empty error key in the reply are no failure, and are not run again', async () => {
		service.sandbox.addFault({ kind: 'errorKey', operation: 'queue.add' });
		const { items } = await runWithoutWaiting(() =>
			service.run(ADD, { items: FIVE.slice(0, 2), settings: RETRY }),
		);
		expect(sentPrompts()).toEqual(['one', 'two']);
		expect(items).toHaveLength(2);
		expect(items[0]?.json).not.toHaveProperty('error');
	});
});

describe('An add that was refused before it was accepted', () => {
	test('by a rate limit is sent again after the wait that the service asks for', async () => {
		service.sandbox.addFault({
			kind: 'tooManyRequests',
			retryAfter: 'seconds',
			seconds: 1,
			times: 2,
			operation: 'queue.add',
		});
		const { items } = await runWithoutWaiting(() => service.run(ADD, { items: FIVE.slice(0, 2) }));
		expect(sentPrompts()).toEqual(['one', 'one', 'one', 'two']);
		expect(items).toHaveLength(2);
		expect(paidCredits()).toBe(2);
	});

	test.each([
		['402', { status: 402, message: 'Payment required' }],
		['400 that speaks of credits', { status: 400, message: 'Insufficient credits' }],
	])('for want of credits (%s) says how many are left', async (_what, fault) => {
		service.sandbox.setCredits('main', 1);
		service.sandbox.addFault({ kind: 'status', ...fault, operation: 'queue.add' });
		const { error } = await service.run(ADD, { items: [{ prompt: 'one' }] });
		expect(error?.message).toMatch(/not enough credits/);
		expect(error?.description).toMatch(/has 1 credit left.*was not queued/);
		expect(error?.httpCode).toBe(String(fault.status));
	});

	test('because the account has run out says so, whatever becomes of reading the balance', async () => {
		service.sandbox.setCredits('main', 0);
		const broke = await service.run(ADD, { items: [{ prompt: 'one' }] });
		expect(broke.error?.description).toMatch(/^The account has 0 credits left/);
		service.sandbox.addFault({ kind: 'html', operation: 'account.get' });
		const brokeAndBroken = await service.run(ADD, { items: [{ prompt: 'one' }] });
		expect(brokeAndBroken.error?.description).toMatch(/^This video was not queued/);
	});
});
