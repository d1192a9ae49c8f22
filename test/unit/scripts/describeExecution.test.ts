import {
	describeExecution,
	describeExecutionFailure,
} from '../../../scripts/n8n/describeExecution';
import type { Execution, NodeRun } from '../../../scripts/n8n/n8nTypes';

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
		type: 'n8n-nodes-base.other',
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
	it('tells the nodes in the order they ran, with the items of each', () => {
		const execution = makeExecution({
			Account: [makeRun(2, { name: 'Ada' }, { name: 'Bo' })],
			Start: [makeRun(0, {})],
			Nothing: [makeRun(3)],
		});
		expect(describeExecution(execution)).toEqual([
			'✔ Start: 1 item',
			'✔ Account: 2 items',
			'✔ Nothing: 0 items',
		]);
	});

	it('tells a node in a loop once', () => {
		const runs = [0, 1, 2, 3].map((index) => makeRun(index, {}));
		expect(describeExecution(makeExecution({ Look: runs }))).toEqual([
			'✔ Look: 1 item, ran 4 times',
		]);
	});

	it('copes with an execution that ran no node', () => {
		expect(describeExecution(makeExecution({}))).toEqual([]);
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
