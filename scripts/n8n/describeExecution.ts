import type { Execution, NodeRun } from './n8nTypes';

/** Describes an execution as lines to print: each node in order of its first run, and its items. */
export function describeExecution(execution: Execution): string[] {
	const nodes = Object.entries(execution.data.resultData.runData ?? {});
	nodes.sort(([, [a]], [, [b]]) => (a?.executionIndex ?? 0) - (b?.executionIndex ?? 0));
	return nodes.map(([name, runs]) => `✔ ${name}: ${describeCount(runs)}`);
}

/** Counts the items of the last run, in its first output that has any. */
function describeCount(runs: NodeRun[]): string {
	const outputs = runs.at(-1)?.data?.main ?? [];
	const count = outputs.find((items) => items && items.length > 0)?.length ?? 0;
	const items = count === 1 ? '1 item' : `${count} items`;
	return runs.length > 1 ? `${items}, ran ${runs.length} times` : items;
}

/** Describes why an execution failed, in n8n's own words: the node, what happened, what to do. */
export function describeExecutionFailure({ id, status, data }: Execution): string {
	const { error, lastNodeExecuted } = data.resultData;
	const node = error?.node?.name ?? lastNodeExecuted;
	const where = node ? ` at the node "${node}"` : '';
	const reasons = [error?.message, error?.description].filter(Boolean).map((text) => `  ${text}`);
	return [`Execution ${id} ended as "${status}"${where}.`, ...reasons].join('\n');
}
