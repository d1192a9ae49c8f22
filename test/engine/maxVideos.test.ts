/*
 * Max Videos: how many videos a node may queue in one execution. That no execution queues more, whatever happens to
 * it, is a law of random executions ("random/laws.ts"); here each way to count has its example.
 */

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { byId, GENERATE, OPERATIONS, PROJECT } from '../support/engine/OPERATIONS';
import { ERROR_OUTPUT, type NodeSetup } from '../support/engine/runNode';
import { EACH_WAY, runTools } from '../support/engine/runTools';
import { passTime, runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();

const ADD = OPERATIONS['queue.add'];
const REACHED = "This node has queued as many videos as 'Max Videos' allows";
const rows = (count: number): IDataObject[] =>
	Array.from({ length: count }, (_, row) => ({ prompt: `Film ${row}` }));

const run = async (maxVideos: unknown, parameters: INodeParameters, setup: Partial<NodeSetup>) => {
	const options = { maxVideos } as INodeParameters;
	return await service.run({ ...parameters, options }, { settings: ERROR_OUTPUT, ...setup });
};
const countPaid = () => service.sandbox.charges.length;

describe('With Max Videos, a node queues no more', () => {
	test('of the rows of one run, and says why', async () => {
		const { errorItems, items } = await run(3, ADD, { items: rows(5) });
		expect(items).toHaveLength(3);
		expect(errorItems.map(({ json }) => json.error)).toEqual([REACHED, REACHED]);
		expect(errorItems[0]?.json.message).toMatch(/'Max Videos' under 'Options' is 3.*Nothing was/);
		expect(service.listPaid()).toEqual(['Film 0', 'Film 1', 'Film 2']);
	});

	test('of rows whose projects are made side by side', async () => {
		const projects = ['product-teaser', 'city-tour', 'launch-film'];
		service.sandbox.addFault({ kind: 'latency', delayMs: 100, operation: 'queue.add' });
		const items = projects.map((name) => ({ project: `project-${name}` }));
		const { errorItems } = await run(2, GENERATE, { items });
		expect(errorItems).toHaveLength(1);
		expect(countPaid()).toBe(2);
	});

	test('in all rounds of a loop, and as many again in the next execution', async () => {
		const { runs } = await run('2', ADD, { times: 4 });
		expect(runs.map(({ length }) => length)).toEqual([1, 1, 0, 0]);
		await run(2, ADD, { times: 4 });
		expect(countPaid()).toBe(4);
	});

	test('in an execution with its tries and retries, which a higher number lets go on', async () => {
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
		const setup = { items: rows(3), settings };
		const { error, run: failed } = await run(2, ADD, setup);
		expect(error?.message).toBe(REACHED);
		expect((await run(2, ADD, { ...setup, failed })).error?.message).toBe(REACHED);
		expect(countPaid()).toBe(2);
		expect((await run(3, ADD, { ...setup, failed })).items).toHaveLength(3);
		expect(countPaid()).toBe(3);
	});

	test('where one that was refused does not count, and one that may have been queued does', async () => {
		const operation = 'queue.add';
		service.sandbox.addFault({ kind: 'status', status: 400, operation, nth: 1 });
		service.sandbox.addFault({ kind: 'reset', phase: 'before', operation, nth: 2 });
		const { errorItems, items } = await run(2, ADD, { items: rows(4) });
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 2 }]);
		expect(errorItems.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 3].map((item) => ({ item })),
		);
	});

	test('and with Credits to Keep, what comes first', async () => {
		service.sandbox.setCredits('main', 10);
		const left = async (options: INodeParameters) => {
			await service.run({ ...ADD, options }, { settings: ERROR_OUTPUT, items: rows(5) });
			return 10 - countPaid();
		};
		expect(await left({ maxVideos: 2, creditsToKeep: 3 })).toBe(8);
		expect(await left({ maxVideos: 9, creditsToKeep: 5 })).toBe(5);
	});

	test.each([0, -1, 1.5, 'three', '', undefined])(
		'which is no number such as %p',
		async (value) => {
			const { errorItems } = await run(value ?? '={{ $json.nothing }}', ADD, {});
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
