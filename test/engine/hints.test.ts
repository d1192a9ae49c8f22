import type { IDataObject, INodeParameters, NodeHint } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';
import { createNodeTypes } from '../support/engine/createNodeTypes';
import { loadPackage } from '../support/engine/loadPackage';
import { OPERATIONS } from '../support/engine/OPERATIONS';
import { NODE_TYPE } from '../support/engine/runNode';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();

async function getHints(): Promise<NodeHint[]> {
	const { nodes } = await loadPackage();
	return nodes[NODE_TYPE]?.description.hints ?? [];
}

/** Lists the hints that the editor shows before a run, and evaluates conditions as it does. */
async function listShown(parameters: INodeParameters, items: IDataObject[] = [{}]) {
	const { nodes } = await loadPackage();
	const workflow = new Workflow({
		active: false,
		nodeTypes: createNodeTypes(nodes),
		nodes: [
			{
				id: '1',
				name: 'Video Generation',
				type: NODE_TYPE,
				typeVersion: 1,
				position: [0, 0],
				parameters,
			},
		],
		connections: {},
	});
	const input = items.map((json) => ({ json }));
	return (await getHints())
		.filter(({ displayCondition = '' }) => {
			const value = workflow.expression.getParameterValue(
				displayCondition,
				null,
				0,
				0,
				'Video Generation',
				input,
				'manual',
				{},
			);
			// The editor ignores a condition that is not a boolean.
			expect(typeof value).toBe('boolean');
			return value === true;
		})
		.map(({ message }) => message);
}

const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const WAIT = { resource: 'queue', operation: 'wait', queueId: 'q' };
const COST = /each video costs credits/;
const PROJECT_WANTED = /Set 'Project'/;

describe('Before a run, the editor says', () => {
	test.each([
		['that each of several items costs credits', OPERATIONS['queue.add'], 2, [COST]],
		['nothing about a single video', OPERATIONS['queue.add'], 1, []],
		['that clearing cannot be undone', OPERATIONS['queue.clear'], 1, [/cannot be undone/]],
		['what a project is good for', { ...WAIT, projectId: byId('') }, 1, [PROJECT_WANTED]],
		['what a project is good for, left as it was', WAIT, 1, [PROJECT_WANTED]],
		['nothing to one wait with a project', { ...WAIT, projectId: byId('p') }, 1, []],
		['nothing about many reads', OPERATIONS['video.getAll'], 9, []],
		['nothing about many downloads', { resource: 'video', operation: 'download' }, 9, []],
	])('%s', async (_what, parameters, count, expected) => {
		const shown = await listShown(
			parameters,
			Array.from({ length: count }, () => ({})),
		);
		expect(shown).toEqual(expected.map((text) => expect.stringMatching(text) as string));
	});
});

test('A run of the node looks at no condition: they cost no item anything', async () => {
	const hints = await getHints();
	const kept = hints.map(({ displayCondition }) => displayCondition);
	let reads = 0;
	for (const [index, hint] of hints.entries()) {
		Object.defineProperty(hint, 'displayCondition', {
			configurable: true,
			get: () => {
				reads += 1;
				return kept[index];
			},
		});
	}
	const { items } = await service.run(OPERATIONS['queue.add'], { items: [{}, {}, {}] });
	expect(items).toHaveLength(3);
	expect(hints.length).toBeGreaterThan(0);
	expect(reads).toBe(0);
});

describe('After a run, the output panel says', () => {
	const runForHints = async (parameters: INodeParameters, items: IDataObject[]) => {
		const settings = { onError: 'continueErrorOutput' as const };
		const { run } = await runWithoutWaiting(
			async () => await service.run(parameters, { items, settings }),
			service.sandbox,
		);
		const [task] = run.data.resultData.runData['Video Generation'] ?? [];
		return (task?.hints ?? []).map(({ message }) => message);
	};
	const ITEMS = [{}, {}, {}];

	test('how many videos may have been queued', async () => {
		for (const nth of [1, 3]) {
			service.sandbox.addFault({ kind: 'reset', phase: 'after', operation: 'queue.add', nth });
		}
		const [hint, ...others] = await runForHints(OPERATIONS['queue.add'], ITEMS);
		expect(hint).toMatch(/^2 videos may have been queued and paid for.*Account > Get/);
		expect(others).toEqual([]);
	});

	test('how many videos could not be told apart, and what helps', async () => {
		const parameters = { ...OPERATIONS['queue.add'], waitForCompletion: true };
		const [hint, ...others] = await runForHints(parameters, ITEMS);
		expect(hint).toMatch(/^3 videos could not be told apart.*Loop Over Items.*'Listing Delay'/);
		expect(others).toEqual([]);
	});

	test('nothing when all went well, or when an item was refused', async () => {
		service.sandbox.addFault({ kind: 'status', status: 400, operation: 'queue.add', nth: 2 });
		expect(await runForHints(OPERATIONS['queue.add'], ITEMS)).toEqual([]);
	});
});
