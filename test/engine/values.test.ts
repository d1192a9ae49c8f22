import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { OPERATIONS, PROJECT } from '../support/engine/OPERATIONS';
import { runNode } from '../support/engine/runNode';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();

const ADD = { ...OPERATIONS['queue.add'], customPrompt: '={{ $json.prompt }}' };

/** Runs on a fake clock that the sandbox follows. */
const run = async (parameters: INodeParameters, items: (IDataObject | undefined)[] = [{}]) =>
	await runWithoutWaiting(
		async () => await runNode({ ...service.setup(parameters), items }),
		service.sandbox,
	);
const listBodies = () =>
	service.sandbox.requests
		.filter(({ operation }) => operation === 'queue.add')
		.map(({ body }) => body);

// `test/unit/parameters.test.ts` has the tables of all values.

test('A number as a prompt is sent as text, and an empty prompt is left out', async () => {
	expect((await run(ADD, [{ prompt: 2024 }, { prompt: ' ' }])).error).toBeUndefined();
	const bodies = [{ projectId: PROJECT, customPrompt: '2024' }, { projectId: PROJECT }];
	expect(listBodies()).toEqual(bodies);
	const { error } = await run({ ...ADD, overwriteSettings: true }, [{ prompt: ' ' }]);
	expect(error?.message).toBe("'Custom Prompt' is empty");
	expect(listBodies()).toEqual(bodies);
});

test.each([
	['on', 'TRUE', 'completed', 4],
	['off', '0', 'pending', 1],
])('A switch counts text as %s: %j', async (word, value, status, count) => {
	await run({ ...ADD, overwriteSettings: '={{ $json.value }}' }, [{ prompt: 'p', value }]);
	expect(listBodies()).toEqual([
		{ projectId: PROJECT, customPrompt: 'p', ...(word === 'on' && { overwriteSettings: true }) },
	]);
	const added = await run({ ...ADD, waitForCompletion: '={{ $json.value }}' }, [{ value }]);
	expect(added.items[0]?.json.status).toBe(status);
	const all = { ...OPERATIONS['project.getAll'], returnAll: '={{ $json.value }}', limit: 1 };
	expect((await run(all, [{ value }])).items).toHaveLength(count);
});

test('A number as an ID is sent as text', async () => {
	service.sandbox.addProjects('main', [{ id: '42' }]);
	const { error } = await run({ ...ADD, projectId: '={{ $json.id }}' }, [{ id: 42 }]);
	expect(error).toBeUndefined();
	expect(listBodies()).toEqual([{ projectId: '42' }]);
});

const LOCATOR = { __rl: true, mode: 'id', value: '={{ $json.value }}' };
test.each<[string, string, INodeParameters]>([
	['text', 'Custom Prompt', { ...ADD, customPrompt: '={{ $json.value }}' }],
	['true or false', 'Overwrite Settings', { ...ADD, overwriteSettings: '={{ $json.value }}' }],
	['true or false', 'Wait for Completion', { ...ADD, waitForCompletion: '={{ $json.value }}' }],
	['an ID', 'Project', { ...ADD, projectId: '={{ $json.value }}' }],
	['an ID', 'Project', { ...ADD, projectId: LOCATOR }],
	['an ID', 'Queue ID', { ...OPERATIONS['queue.getProgress'], queueId: '={{ $json.value }}' }],
	['an ID', 'Queue ID', { ...OPERATIONS['queue.clear'], queueId: '={{ $json.value }}' }],
	['an ID', 'Queue ID', { resource: 'queue', operation: 'wait', queueId: '={{ $json.value }}' }],
])('What is not %s in "%s" is refused before any request', async (kind, label, parameters) => {
	for (const value of [['a', 'b'], { text: 'x' }]) {
		const { error } = await run(parameters, [{ value }]);
		expect(error?.message).toBe(`'${label}' must be ${kind}`);
	}
	expect(service.sandbox.requests).toEqual([]);
});

describe("n8n's Request Options", () => {
	test.each<string | number>(['soon', '={{ 1500.5 }}', -1, 2 ** 31 - 1, 5_000_000_000])(
		'take %j for a timeout: requests are sent and answered',
		async (timeout) => {
			const add = await run({ ...ADD, requestOptions: { timeout } });
			expect(add.error).toBeUndefined();
			const read = await run({ ...OPERATIONS['account.get'], requestOptions: { timeout } });
			expect(read.error).toBeUndefined();
			const [queueId] = service.sandbox.charges.map((charge) => charge.queueId);
			const wait = { resource: 'queue', operation: 'wait', queueId: queueId ?? '' };
			const waited = await run({ ...wait, requestOptions: { timeout } });
			expect(waited.items[0]?.json.status).toBe('completed');
		},
	);

	test.each([
		['={{ "2" }}', '={{ 10.4 }}'],
		[2, 3e10],
	])('take batches of %j items and pauses of %j', async (batchSize, batchInterval) => {
		const requestOptions = { batching: { batch: { batchSize, batchInterval } } };
		const { items, error } = await run({ ...OPERATIONS['account.get'], requestOptions }, [{}, {}]);
		expect(error).toBeUndefined();
		expect(items).toHaveLength(2);
	});

	test.each([
		[{ options: null }],
		[{ options: '={{ null }}' }],
		[{ options: { maxTries: '={{ undefined }}' } }],
		[{ options: { maxTries: '3' } }],
		[{ requestOptions: null }],
		[{ requestOptions: { timeout: null, proxy: null } }],
		[{ requestOptions: { batching: '={{ null }}' } }],
		[{ requestOptions: { batching: { batch: null } } }],
	])('and Options may be %j', async (parameters) => {
		const { items, error } = await run({ ...OPERATIONS['account.get'], ...parameters });
		expect(error).toBeUndefined();
		expect(items).toHaveLength(1);
	});
});

describe('Filters', () => {
	beforeEach(() => {
		service.sandbox.addVideos('main', [
			{ id: 'a', projectId: PROJECT, createdAt: '2026-01-01T10:00:00Z' },
			{ id: 'b', projectId: 'project-city-tour', createdAt: '2026-01-02T10:00:00Z' },
		]);
	});
	const select = async (filters: unknown, items?: IDataObject[]) => {
		const parameters = { ...OPERATIONS['video.getAll'], filters } as INodeParameters;
		const result = await run(parameters, items);
		return { ids: result.items.map(({ json }) => json.id), error: result.error };
	};

	test.each([
		[null, ['b', 'a']],
		[{ projectId: null }, ['b', 'a']],
		[{ projectId: '={{ $json.nothing }}' }, ['b', 'a']],
		[{ projectId: '={{ $json.project }}' }, ['a']],
		[{ createdAfter: null, createdBefore: '' }, ['b', 'a']],
		[{ createdAfter: "={{ DateTime.fromISO('2026-01-02', { zone: 'utc' }) }}" }, ['b']],
		[{ createdAfter: "={{ new Date('2026-01-02') }}" }, ['b']],
	])('that are %j select %j', async (filters, expected) => {
		const { ids, error } = await select(filters, [{ project: PROJECT }]);
		expect(error).toBeUndefined();
		expect(ids).toEqual(expected);
	});

	test.each([
		[{ createdAfter: '={{ [1] }}' }, 'Created After'],
		[{ createdBefore: '={{ ({ a: 1 }) }}' }, 'Created Before'],
		[{ createdBefore: '={{ true }}' }, 'Created Before'],
		[{ createdBefore: 'soon' }, 'Created Before'],
	])('that are %j are refused by a sentence that names %s', async (filters, label) => {
		const { error } = await select(filters);
		expect(error?.message).toBe(`'${label}' must be a date`);
		expect(service.sandbox.requests).toEqual([]);
	});
});

// These tests run in a time zone that is not UTC (jest.config.js).
describe('A date without a time zone', () => {
	test('means UTC in the entries of Video > Get Many', async () => {
		service.sandbox.addVideos('main', [
			{ id: 'bare', createdAt: '2026-01-01T12:00:00' },
			{ id: 'zoned', createdAt: '2026-01-01T12:30:00Z' },
		]);
		const createdBefore = '2026-01-01T12:10:00Z';
		const { items } = await run({ ...OPERATIONS['video.getAll'], filters: { createdBefore } });
		expect(items.map(({ json }) => json.id)).toEqual(['bare']);
	});
});

describe('Odd responses', () => {
	test.each([
		['video.getAll', 'videos'],
		['project.getAll', 'projects'],
	] as const)('of %s leave out what is no entry of the list', async (name, field) => {
		for (const entries of [[null], ['x', 1, true], [[]]]) {
			service.sandbox.clearFaults();
			const body = { status: 'success', [field]: [...entries, { id: 'good' }, ...entries] };
			service.sandbox.addFault({ kind: 'status', status: 200, body });
			const { items, error } = await run(OPERATIONS[name]);
			expect(error).toBeUndefined();
			expect(items.map(({ json }) => json.id)).toEqual(['good']);
		}
	});

	test('do not hide the video that is waited for', async () => {
		service.sandbox.addFault({ kind: 'oddEntries', operation: 'video.getAll' });
		const { items, error } = await run({ ...ADD, waitForCompletion: true });
		expect(error).toBeUndefined();
		expect(items[0]?.json.status).toBe('completed');
	});
});

test('An item of a careless node, without its json, is an item like any other', async () => {
	const { items, error } = await run(
		{ ...OPERATIONS['queue.add'], customPrompt: '={{ $json.prompt }}' },
		[undefined],
	);
	expect(error).toBeUndefined();
	expect(items).toHaveLength(1);
	expect(listBodies()).toEqual([{ projectId: PROJECT }]);
});
