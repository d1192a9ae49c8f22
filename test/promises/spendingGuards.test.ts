/*
 * What holds back a node that would spend too much: Max Videos in one execution, and Credits to Keep of an account.
 * That no execution queues more than Max Videos, whatever happens to it, is a law of random executions
 * ("laws/laws.ts"); here each way to count has its example.
 */

import type { INodeParameters } from 'n8n-workflow';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { byId, GENERATE, OPERATIONS, PROJECT } from '../support/engine/OPERATIONS';
import { playTogether } from '../support/engine/playTogether';
import { ERROR_OUTPUT, type NodeSetup } from '../support/engine/runNode';
import { EACH_WAY, runTools } from '../support/engine/runTools';
import { passTime, runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useSandbox } from '../support/engine/useSandbox';
import { like } from '../support/like';

const service = useSandbox();

const ADD = OPERATIONS['queue.add'];
const REACHED = "This node has queued as many videos as 'Max Videos' allows";
const rows = (count: number) =>
	Array.from({ length: count }, (_, row) => ({ prompt: `Film ${row}` }));

/** Runs the node with these options, and an error output if no other settings are given. */
const run = async (
	parameters: INodeParameters,
	options: INodeParameters,
	setup: Partial<NodeSetup> = {},
) => await service.run({ ...parameters, options }, { settings: ERROR_OUTPUT, ...setup });

const countPaid = () => service.sandbox.charges.length;

describe('With Max Videos, a node queues no more', () => {
	test('of the rows of one run, and says why', async () => {
		const { errorItems, items } = await run(ADD, { maxVideos: 3 }, { items: rows(5) });
		expect(items).toHaveLength(3);
		expect(errorItems.map(({ json }) => json.error)).toEqual([REACHED, REACHED]);
		expect(errorItems[0]?.json.message).toMatch(/'Max Videos' under 'Options' is 3.*Nothing was/);
		expect(service.listPaid()).toEqual(['Film 0', 'Film 1', 'Film 2']);
	});

	test('of rows whose projects are made side by side', async () => {
		const projects = ['product-teaser', 'city-tour', 'launch-film'];
		service.sandbox.addFault({ kind: 'latency', delayMs: 100, operation: 'queue.add' });
		const items = projects.map((name) => ({ project: `project-${name}` }));
		const { errorItems } = await run(GENERATE, { maxVideos: 2 }, { items });
		expect(errorItems).toHaveLength(1);
		expect(countPaid()).toBe(2);
	});

	test('in all rounds of a loop, and as many again in the next execution', async () => {
		const { runs } = await run(ADD, { maxVideos: '2' }, { times: 4 });
		expect(runs.map(({ length }) => length)).toEqual([1, 1, 0, 0]);
		await run(ADD, { maxVideos: 2 }, { times: 4 });
		expect(countPaid()).toBe(4);
	});

	test('in an execution with its tries and retries, which a higher number lets go on', async () => {
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
		const setup = { items: rows(3), settings };
		const { error, run: failed } = await run(ADD, { maxVideos: 2 }, setup);
		expect(error?.message).toBe(REACHED);
		expect((await run(ADD, { maxVideos: 2 }, { ...setup, failed })).error?.message).toBe(REACHED);
		expect(countPaid()).toBe(2);
		expect((await run(ADD, { maxVideos: 3 }, { ...setup, failed })).items).toHaveLength(3);
		expect(countPaid()).toBe(3);
	});

	test('where one that was refused does not count, and one that may have been queued does', async () => {
		const operation = 'queue.add';
		service.sandbox.addFault({ kind: 'status', status: 400, operation, nth: 1 });
		service.sandbox.addFault({ kind: 'reset', phase: 'before', operation, nth: 2 });
		const { errorItems, items } = await run(ADD, { maxVideos: 2 }, { items: rows(4) });
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 2 }]);
		expect(errorItems.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 3].map((item) => ({ item })),
		);
	});

	test.each([0, -1, 1.5, 'three', '', undefined])(
		'which is no number such as %p',
		async (value) => {
			const { errorItems } = await run(ADD, { maxVideos: value ?? '={{ $json.nothing }}' });
			expect(errorItems[0]?.json.error).toBe("'Max Videos' must be a whole number above 0");
			expect(service.sandbox.requests).toEqual([]);
		},
	);
});

describe.each(EACH_WAY)('With Max Videos, %s', (_name, way) => {
	const parameters = {
		...ADD,
		projectId: byId("={{ $fromAI('project', 'the project', 'string') }}"),
		customPrompt: "={{ $fromAI('prompt', 'the prompt', 'string') }}",
		options: { maxVideos: 2 },
	};
	const order = async (...prompts: string[]) => {
		const calls = [prompts.map((prompt) => ({ project: PROJECT, prompt }))];
		const start = async () => await runTools({ ...service.setup(parameters), way, calls });
		return await runWithoutWaiting(start, service.sandbox);
	};

	test('is told of a further order that none will be taken, however many come at once', async () => {
		const answers = await order('a', 'b', 'c');
		const refused = answers.filter((answer) => answer.includes("'Max Videos'"));
		expect(refused).toHaveLength(1);
		expect(refused[0]).toContain('No further order will be taken');
		expect(countPaid()).toBe(2);
	});

	test('may order again in another execution, or after an hour', async () => {
		await order('a', 'b');
		await order('c');
		const isOfExecution = way === 'tool' || way === 'steps';
		expect(countPaid()).toBe(isOfExecution ? 3 : 2);
		passTime(3_600_001);
		await order('d');
		expect(countPaid()).toBe(isOfExecution ? 4 : 3);
	});
});

describe('Credits to Keep', () => {
	beforeEach(() => {
		service.sandbox.setCredits('main', 10);
	});

	test('ends a run that is set to stop with the first add that would leave fewer', async () => {
		const { items, error } = await run(ADD, { creditsToKeep: 8 }, { items: rows(4), settings: {} });
		expect(items).toEqual([]);
		expect(error?.message).toBe('There are not enough credits to queue this video');
		expect(error?.description).toContain(
			"The credits of the account are 8. The video would cost 1, and 'Credits to Keep' is 8.",
		);
		expect(error?.context.acceptedQueueIds).toHaveLength(2);
		expect(service.listSent()).toEqual(['account.get', 'queue.add', 'queue.add']);
	});

	test('queues exactly those that fit with an error output, and says why of the others', async () => {
		const { items, errorItems } = await run(ADD, { creditsToKeep: 3 }, { items: rows(12) });
		expect(items).toHaveLength(7);
		expect(errorItems).toHaveLength(5);
		expect(errorItems[0]?.json).toMatchObject({
			error: 'There are not enough credits to queue this video',
			details: { remainingCredits: 3, mayBeQueued: false },
			message: like(/'Credits to Keep' is 3\. Nothing was queued/),
		});
		const adds = Array<string>(7).fill('queue.add');
		expect(service.listSent()).toEqual(['account.get', ...adds]);
	});

	test.each<[string, number, INodeParameters, number, number]>([
		['what a video costs', 10, { creditsToKeep: '1', creditsPerVideo: '2' }, 6, 4],
		['fractions of a credit', 10, { creditsToKeep: 3, creditsPerVideo: 0.7 }, 10, 10],
		['tenths of a credit', 50, { creditsToKeep: 48, creditsPerVideo: 0.1 }, 21, 20],
	])('counts %s', async (_what, credits, options, count, added) => {
		service.sandbox.setCredits('main', credits);
		const { items } = await run(ADD, options, { items: rows(count) });
		expect(items).toHaveLength(added);
	});

	test.each<[string, FaultSpec, RegExp]>([
		['cannot be read', { kind: 'status', status: 500 }, /failed to process the request|500/],
		[
			'does not tell its credits',
			{ kind: 'missingField', field: 'usage.remainingCredits' },
			/has no 'usage.remainingCredits'/,
		],
	])('queues nothing when the account %s', async (_what, fault, message) => {
		service.sandbox.addFault({ ...fault, operation: 'account.get' });
		const options = { creditsToKeep: 0, maxTries: 1 };
		const { errorItems } = await run(ADD, options, { items: rows(2) });
		expect(errorItems).toHaveLength(2);
		expect(errorItems[0]?.json).toMatchObject({
			error: "The account's credits could not be read, so nothing was queued",
			message: like(message),
			details: { mayBeQueued: false },
		});
		expect(service.sandbox.charges).toEqual([]);
	});

	test('counts no video that the service has refused', async () => {
		service.sandbox.addFault({ kind: 'status', status: 400, operation: 'queue.add', nth: 1 });
		const { items } = await run(ADD, { creditsToKeep: 8 }, { items: rows(4) });
		expect(items).toHaveLength(2);
	});

	test('is counted for each account alone', async () => {
		const { url: baseUrl, accounts } = service.sandbox;
		service.sandbox.setCredits('other', 1);
		const ours = { key: accounts.main.apiKey };
		const theirs = { key: accounts.other.apiKey, project: 'project-garden-story' };
		const credentials = { baseUrl, apiKey: '={{ $json.key }}' };
		const setup = { items: [theirs, ours, theirs], credentials };
		const { errorItems } = await run(GENERATE, { creditsToKeep: 0 }, setup);
		expect(errorItems.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 2 }]);
	});

	test.each([12_000, 30_000])(
		'holds for two batches that take turns, of which the second begins %d ms after the first',
		async (afterMs) => {
			service.planVideos(...Array<number>(10).fill(20));
			const begin = async () => await run(GENERATE, { creditsToKeep: 5 }, { items: rows(5) });
			const endings = await playTogether(service.sandbox, [
				{ start: begin },
				{ start: begin, afterMs },
			]);
			expect(service.sandbox.charges).toHaveLength(5);
			expect(endings.flatMap(({ result }) => result.errorItems)).toHaveLength(5);
		},
	);

	test('counts what other nodes spend while videos are made', async () => {
		service.planVideos(...Array<number>(10).fill(20));
		const begin = (customPrompt: string, options: INodeParameters) => async () =>
			await run({ ...GENERATE, customPrompt }, options, { items: rows(5) });
		await playTogether(service.sandbox, [
			{ start: begin('guarded', { creditsToKeep: 5 }) },
			{ start: begin('unguarded', {}), afterMs: 30_000 },
		]);
		const paid = service.listPaid();
		expect(paid.length).toBeGreaterThan(5);
		// Each video costs one of ten credits, and five are kept.
		expect(paid.slice(5)).not.toContain('guarded');
	});

	test('counts what others spend while an add waits as long as the service asks', async () => {
		service.sandbox.setCredits('main', 2);
		service.sandbox.addFault({
			...{ kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 60, operation: 'queue.add' },
			...{ containing: 'guarded', times: 1 },
		});
		const begin = (customPrompt: string, options: INodeParameters) => async () =>
			await run({ ...ADD, customPrompt }, options);
		const [guarded] = await playTogether(service.sandbox, [
			{ start: begin('guarded', { creditsToKeep: 1 }) },
			{ start: begin('other', {}), afterMs: 30_000 },
		]);
		expect(service.listPaid()).toEqual(['other']);
		expect(guarded?.result.errorItems[0]?.json).toMatchObject({
			error: 'There are not enough credits to queue this video',
			details: { remainingCredits: 1, mayBeQueued: false, tries: 0 },
		});
	});
});
