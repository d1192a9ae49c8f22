import {
	describeExecution,
	describeExecutionFailure,
} from '../../../scripts/n8n/describeExecution';
import type { Execution, NodeRun } from '../../../scripts/n8n/n8nTypes';

const PACKAGE = 'our-package';

function makeRun(executionIndex: number, ...items: Record<string, unknown>[]): NodeRun {
	return {
		executionIndex,
		executionTime: 1,
		data: { main: [[], items.map((json) => ({ json }))] },
	};
}

function makeExecution(
	runs: Record<string, NodeRun[]>,
	changes: Partial<Execution> = {},
): Execution {
	const nodes = Object.keys(runs).map((name) => ({
		id: name,
		name,
		type: name.startsWith('Our') ? `${PACKAGE}.node` : 'n8n-nodes-base.other',
		typeVersion: 1,
		position: [0, 0] as [number, number],
		parameters: {},
	}));
	return {
		id: '7',
		status: 'success',
		workflowId: 'w',
		startedAt: '',
		stoppedAt: '',
		workflowData: { name: 'w', nodes, connections: {} },
		data: { resultData: { runData: runs } },
		...changes,
	};
}

describe('describing an execution', () => {
	it('tells the nodes in the order they ran, with the fields of our own', () => {
		const execution = makeExecution({
			'Our account': [makeRun(2, { name: 'Ada', usage: { remainingCredits: 97, log: [1] } })],
			Start: [makeRun(0, { hidden: true })],
		});
		expect(describeExecution(execution, PACKAGE)).toEqual([
			'Start        1 item',
			'Our account  1 item',
			'             name: Ada',
			'             usage.remainingCredits: 97',
		]);
	});

	it('tells a node in a loop once, with how its values changed', () => {
		const runs = ['pending', 'pending', 'rendering', 'completed'].map((status, index) =>
			makeRun(index, { id: 'q1', status }),
		);
		expect(describeExecution(makeExecution({ 'Our look': runs }), PACKAGE)).toEqual([
			'Our look  1 item, ran 4 times',
			'          id: q1',
			'          status: pending → rendering → completed',
		]);
	});

	it('gives each of several items one line, and counts those beyond the tenth', () => {
		const items = Array.from({ length: 12 }, (_, index) => ({
			id: index,
			name: `p${index}`,
			at: 1,
		}));
		const lines = describeExecution(makeExecution({ Ours: [makeRun(0, ...items)] }), PACKAGE);
		expect(lines).toHaveLength(12);
		expect(lines[0]).toBe('Ours  12 items');
		expect(lines[1]).toBe('      0  p0');
		expect(lines.at(-1)).toBe('      and 2 more');
	});

	it('shortens a long value', () => {
		const lines = describeExecution(
			makeExecution({ Our: [makeRun(0, { t: 'x'.repeat(500) })] }),
			PACKAGE,
		);
		expect(lines[1]).toMatch(/^ {5}t: x{119}…$/);
	});

	it('copes with an execution that ran no node', () => {
		expect(describeExecution(makeExecution({}), PACKAGE)).toEqual([]);
	});
});

describe('describing why an execution failed', () => {
	it('names the node, what happened and what to do', () => {
		const error = {
			message: 'No credits left',
			description: 'Buy some.',
			node: { name: 'Queue it' },
		};
		const data = { resultData: { error } };
		expect(describeExecutionFailure(makeExecution({}, { status: 'error', data }))).toBe(
			'Execution 7 ended as "error" at the node "Queue it".\n  No credits left\n  Buy some.',
		);
	});

	it('says what is known when n8n gives no error', () => {
		expect(describeExecutionFailure(makeExecution({}, { status: 'crashed' }))).toBe(
			'Execution 7 ended as "crashed".',
		);
	});
});
