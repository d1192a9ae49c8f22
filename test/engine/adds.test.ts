import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { GENERATE, OPERATIONS, PROJECT } from '../support/engine/OPERATIONS';
import { runNode } from '../support/engine/runNode';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
const ADD = { ...OPERATIONS['queue.add'], customPrompt: '={{ $json.prompt }}' };
const FIVE: IDataObject[] = ['one', 'two', 'three', 'four', 'five'].map((prompt) => ({ prompt }));
const THREE = FIVE.slice(0, 3);
const ERROR_OUTPUT: Partial<INode> = { onError: 'continueErrorOutput' };

const retry = (maxTries = 3): Partial<INode> => ({
	retryOnFail: true,
	maxTries,
	waitBetweenTries: 1000,
});

/** Runs on a fake clock that the sandbox follows. */
const run = async (
	parameters: INodeParameters = {},
	items: IDataObject[] = [{ prompt: 'one' }],
	settings: Partial<INode> = {},
) =>
	await runWithoutWaiting(
		async () => await runNode({ ...service.setup({ ...ADD, ...parameters }), items, settings }),
		service.sandbox,
	);

const failAdd = (fault: FaultSpec) =>
	service.sandbox.addFault({ ...fault, operation: 'queue.add' });

const listSent = () =>
	service.sandbox.requests
		.filter(({ operation }) => operation === 'queue.add')
		.map(({ body }) => (body as { customPrompt?: string }).customPrompt);

const listPaidIds = () => service.sandbox.charges.map(({ queueId }) => queueId);

/** Faults that leave the fate of the add unknown, with the code that the error names. */
const UNKNOWN_FATES: [string, FaultSpec, string][] = [
	['a 500 before it was processed', { kind: 'status', status: 500 }, '500'],
	['a 500 after it was accepted', { kind: 'status', status: 500, phase: 'after' }, '500'],
	['a 503', { kind: 'status', status: 503, headers: { 'retry-after': '300' } }, '503'],
	['a web page with 504', { kind: 'html', status: 504, phase: 'after' }, '504'],
	['a 302 to another path', { kind: 'redirect', location: 'http://127.0.0.1:1/' }, '302'],
	['a 408', { kind: 'status', status: 408, phase: 'after' }, '408'],
	['a broken status line', { kind: 'brokenHttp' }, 'ECONNRESET'],
	['a broken header', { kind: 'brokenHttp', part: 'header' }, 'ECONNRESET'],
	['a broken chunk', { kind: 'brokenHttp', part: 'chunk' }, 'ECONNRESET'],
	['an empty response', { kind: 'emptyBody' }, '200'],
	['no queue ID in the response', { kind: 'missingField', field: 'newQueueItem.queueId' }, '200'],
];

describe('Several adds', () => {
	test('are sent one at a time, in the order of the items', async () => {
		service.sandbox.configure({ latencyMs: 20 });
		const unanswered: number[] = [];
		const stopListening = service.sandbox.onRequest(() => {
			unanswered.push(service.sandbox.requests.filter(({ status }) => status === undefined).length);
		});
		const { items } = await service.run(ADD, { items: FIVE });
		stopListening();
		expect(listSent()).toEqual(['one', 'two', 'three', 'four', 'five']);
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
		expect(listSent()).toEqual(['one', 'two', 'three']);
		expect(items).toEqual([]);
		const queued = service.sandbox.readState().queue.map(({ queueId }) => queueId);
		expect(queued).toHaveLength(2);
		expect(error?.message).toBe('The video service rejected the request (400)');
		expect(error?.description).toContain('The service said: "Prompt not allowed"');
		expect(error?.description).toContain(
			queued.map((queueId) => `${queueId} (pending)`).join(', '),
		);
		expect(error?.description).toContain(
			'Already queued and paid for. To go on without paying again, select Retry',
		);
		expect(error?.description).toMatch(
			/No video was queued for this item\. The service said: "Prompt not allowed"\. A/,
		);
		expect(error?.description).not.toContain("the other items' videos");
		expect(error?.context).toMatchObject({ itemIndex: 2, acceptedQueueIds: queued });
		expect(error?.httpCode).toBe('400');
	});

	test.each([
		['a field of its own', '={{ $json.prompt }}', {}],
		['a parameter that n8n cannot evaluate', "={{ $json.prompt || $('Nowhere').item.json.x }}", {}],
		[
			'a parameter that n8n cannot evaluate in a later batch',
			"={{ $json.prompt || $('Nowhere').item.json.x }}",
			{ batchSize: 1, batchInterval: 1000 },
		],
	])(
		'cost nothing at all when one of them cannot be sent for %s and the node stops',
		async (_what, customPrompt, batch) => {
			const { error } = await run(
				{ customPrompt, overwriteSettings: true, requestOptions: { batching: { batch } } },
				[{ prompt: 'one' }, { prompt: 'two' }, { prompt: '' }],
			);
			expect(error?.context.itemIndex).toBe(2);
			expect(service.sandbox.requests).toEqual([]);
		},
	);

	test('cost nothing for the items that cannot be sent when the node continues on an error', async () => {
		const parameters = { ...ADD, overwriteSettings: true };
		const { items, errorItems } = await service.run(parameters, {
			items: [{ prompt: 'one' }, { prompt: '' }, { prompt: 'three' }],
			settings: { onError: 'continueErrorOutput' },
		});
		expect(listSent()).toEqual(['one', 'three']);
		expect(items).toHaveLength(2);
		expect(errorItems[0]).toMatchObject({
			json: { error: "'Custom Prompt' is empty" },
			pairedItem: { item: 1 },
		});
	});

	test.each([
		'{{ $json.topic }}',
		"A film about {{$('Sheet').item.json.topic}}",
		'{{ $node.Sheet }}',
	])(
		'are not sent with a prompt that was typed as text and not as an expression: %s',
		async (customPrompt) => {
			const { errorItems } = await service.run(
				{ ...ADD, customPrompt: '={{ $json.prompt }}' },
				{
					items: [{ prompt: customPrompt }, { prompt: 'Braces {{ like these }}, and $json' }],
					settings: { onError: 'continueErrorOutput' },
				},
			);
			expect(listSent()).toEqual(['Braces {{ like these }}, and $json']);
			expect(errorItems).toMatchObject([
				{
					json: {
						error: "'Custom Prompt' contains an expression that was typed as text",
						message: expect.stringContaining("select 'Expression'") as string,
					},
				},
			]);
		},
	);

	test.each(['queue.add', 'queue.getProgress'] as const)(
		'with an error key in the response of %s are no failure, and are not run again',
		async (operation) => {
			const silent = ['', 0, null, false].map((value) => ({ value, isSaying: false }));
			const saying = ['none', { code: 0 }, [], true].map((value) => ({ value, isSaying: true }));
			for (const { value, isSaying } of [...silent, ...saying]) {
				service.sandbox.reset();
				service.sandbox.addFault({ kind: 'errorKey', value, operation });
				const parameters = operation === 'queue.add' ? ADD : GENERATE;
				const { items } = await runWithoutWaiting(
					() => service.run(parameters, { items: FIVE.slice(0, 2), settings: retry() }),
					service.sandbox,
				);
				expect(listSent()).toEqual(['one', 'two']);
				expect(items).toHaveLength(2);
				expect(items[0]?.json).not.toHaveProperty('error');
				expect(items[0]?.json.serviceError).toEqual(isSaying ? value : undefined);
			}
		},
	);
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
		expect(listSent()).toEqual(['one', 'one', 'one', 'two']);
		expect(items).toHaveLength(2);
		expect(listPaidIds()).toHaveLength(2);
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

	test('whose response breaks off is known by its status', async () => {
		service.sandbox.setCredits('main', 0);
		failAdd({ kind: 'cutOff', ending: 'break', keepBytes: 10 });
		const { errorItems } = await run({}, FIVE.slice(0, 1), ERROR_OUTPUT);
		expect(errorItems[0]?.json).toMatchObject({
			...{ error: 'There are not enough credits for this video' },
			details: { mayBeQueued: false, httpCode: '402' },
		});
	});

	test('because the account has run out reads the balance once, however many rows are refused', async () => {
		service.sandbox.setCredits('main', 0);
		const { errorItems } = await service.run(ADD, {
			...{ items: FIVE, settings: { onError: 'continueErrorOutput' } },
		});
		for (const { json } of errorItems) {
			expect(json).toMatchObject({ details: { remainingCredits: 0 } });
		}
		expect(errorItems).toHaveLength(FIVE.length);
		const { requests } = service.sandbox;
		expect(requests.filter(({ operation }) => operation === 'account.get')).toHaveLength(1);
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

describe('An add of unknown fate', () => {
	test.each(UNKNOWN_FATES)(
		'because of %s is sent once, also with Retry On Fail, and says so as text and as data',
		async (_what, fault, httpCode) => {
			failAdd({ ...fault, nth: 1 });
			const { errorItems } = await run({}, undefined, { ...retry(), ...ERROR_OUTPUT });
			expect(listSent()).toEqual(['one']);
			const { error, message } = errorItems[0]?.json ?? {};
			expect(`${error as string} ${message as string}`).not.toMatch(
				/Run the workflow again|Try again|did not carry out/,
			);
			expect(errorItems[0]?.json).toMatchObject({
				message: expect.stringMatching(
					/may have been queued and paid for.*Account > Get.*Video > Get Many/,
				) as string,
				details: { projectId: PROJECT, mayBeQueued: true, httpCode },
			});
		},
	);
});

test.each([400, 403])(
	'The error of an item whose progress is refused (%d) says that it is queued, and blames no prompt',
	async (status) => {
		service.sandbox.addFault({ kind: 'status', status, operation: 'queue.getProgress' });
		const { errorItems } = await runWithoutWaiting(
			() => service.run(GENERATE, { items: FIVE.slice(0, 1), settings: ERROR_OUTPUT }),
			service.sandbox,
		);
		expect(errorItems[0]?.json.message).toMatch(/^The video is queued and paid for\./);
		expect(errorItems[0]?.json.message).not.toContain("'Custom Prompt'");
	},
);

test('The list of what was paid for names an item without a status by its ID alone', async () => {
	failAdd({ kind: 'missingField', field: 'newQueueItem.status', nth: 1 });
	failAdd({ kind: 'status', status: 400, nth: 2 });
	const { error } = await run({}, FIVE.slice(0, 2));
	expect(error?.description).toContain(`${listPaidIds().join()}.`);
});

describe('The beginning of a response that leaves the fate open', () => {
	test('stands in the details, without the key', async () => {
		const { apiKey } = service.sandbox;
		const body = `<h1>Gateway</h1> ${apiKey} ${'x'.repeat(1_000)}`;
		failAdd({ kind: 'status', status: 502, body, contentType: 'text/html', phase: 'after' });
		const { errorItems } = await run({}, undefined, ERROR_OUTPUT);
		const { receivedText } = errorItems[0]?.json.details as { receivedText: string };
		expect(receivedText).toMatch(/^<h1>Gateway<\/h1> \[API key\] x+$/);
		expect(receivedText.length).toBe(300);
	});

	test('stands in the error of a node that stops, where it names an ID beyond JavaScript numbers', async () => {
		service.sandbox.configure({ numericQueueIds: 'long' });
		const info = jest.spyOn(Container.get(Logger), 'info');
		const { error } = await run({});
		const [{ queueId } = { queueId: '?' }] = service.sandbox.charges;
		expect(queueId).toMatch(/^\d{17,}$/);
		expect(error?.description).toMatch(new RegExp(`names a queue item: .*"queueId": ?${queueId}`));
		expect(JSON.stringify(info.mock.calls)).toContain(queueId);
		info.mockRestore();
	});

	test('is not shown of a refusal', async () => {
		failAdd({ kind: 'status', status: 400 });
		const { errorItems } = await run({}, undefined, ERROR_OUTPUT);
		expect(errorItems[0]?.json.details).not.toHaveProperty('receivedText');
	});
});

describe('With the node set to stop, the error tells an error workflow', () => {
	test.each<[string, FaultSpec, boolean | undefined]>([
		['that a video may have been queued', { kind: 'reset', phase: 'after' }, true],
		['nothing of that after a refusal', { kind: 'status', status: 400 }, undefined],
	])('%s', async (_what, fault, mayBeQueued) => {
		failAdd({ ...fault, nth: 2 });
		const { error } = await run({}, THREE);
		expect(error?.context.mayBeQueued).toBe(mayBeQueued);
		expect(error?.context.acceptedQueueIds).toEqual(listPaidIds().slice(0, 1));
	});
});

describe('An accepted add', () => {
	const slow = useSandbox({
		// The reply comes once the node has read the progress of another item.
		wait: async () => {
			await slow.sandbox.waitForRequests({ count: 1, operation: 'queue.getProgress' });
			for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
		},
	});

	test('that is still on its way when another item ends the run stands in the error', async () => {
		const { sandbox } = slow;
		sandbox.addFault({
			kind: 'latency',
			delayMs: 1,
			phase: 'after',
			nth: 2,
			operation: 'queue.add',
		});
		sandbox.addFault({ kind: 'statusWord', word: 'failed', operation: 'queue.getProgress' });
		const { error } = await slow.run(
			{ ...GENERATE, waitOptions: { pollingInterval: 1, videosAtOnce: 3 } },
			{ items: THREE },
		);
		const paidIds = sandbox.charges.map(({ queueId }) => queueId);
		// The third is not sent any more.
		expect(paidIds).toHaveLength(2);
		expect(error?.context.acceptedQueueIds).toEqual(paidIds);
		for (const queueId of paidIds) expect(error?.description).toContain(queueId);
		// A retry would end on the video that failed.
		expect(error?.description).toContain("To get the other items' videos, set 'On Error'");
		expect(error?.description).not.toContain('To go on waiting');
	});
});

describe('Failures of n8n itself', () => {
	test('to log an accepted add do not make it fail', async () => {
		const log = jest.spyOn(Container.get(Logger), 'info').mockImplementation(() => {
			throw new Error('ENOSPC: no space left on device');
		});
		const { items, error } = await run({}, THREE);
		log.mockRestore();
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.queueId)).toEqual(listPaidIds());
	});
});

test('The same node that runs twice in one execution queues a video for each run, with Retry On Fail as well', async () => {
	failAdd({ kind: 'status', status: 400, nth: 1 });
	const setup = { ...service.setup(ADD), items: [{ prompt: 'one' }], settings: retry(), times: 2 };
	const { runs } = await runWithoutWaiting(async () => await runNode(setup), service.sandbox);
	expect(listSent()).toEqual(['one', 'one', 'one']);
	expect(runs.flat().map(({ json }) => json.queueId)).toEqual(listPaidIds());
	expect(runs).toHaveLength(2);
});

test('In an outage, the adds of an error output come further and further apart', async () => {
	failAdd({ kind: 'status', status: 503 });
	const { errorItems } = await run({}, FIVE, ERROR_OUTPUT);
	expect(errorItems).toHaveLength(5);
	const [first = 0, ...others] = service.sandbox.requests.map(({ at }) => at);
	const seconds = others.map((at) => Math.round((at - first) / 1000));
	expect(seconds).toEqual([0, 1, 3, 7]);
});
