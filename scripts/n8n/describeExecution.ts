import type { Execution, ExecutionItem, NodeRun } from './n8nTypes';

const MAX_VALUE_LENGTH = 120;
const MAX_ITEMS = 10;

/**
 * What an execution did, as lines to print: each node in the order of its first run, how many items
 * it gave, and, for the nodes of our package, their fields. A node in a loop is told once, with how
 * its values changed; of several items each has one line, with its first two fields.
 */
export function describeExecution(execution: Execution, packageName: string): string[] {
	const types = new Map(execution.workflowData.nodes.map(({ name, type }) => [name, type]));
	const nodes = Object.entries(execution.data.resultData.runData ?? {});
	nodes.sort(([, [a]], [, [b]]) => (a?.executionIndex ?? 0) - (b?.executionIndex ?? 0));
	const width = Math.max(0, ...nodes.map(([name]) => name.length));
	return nodes.flatMap(([name, runs]) => {
		const isOurs = types.get(name)?.startsWith(`${packageName}.`) ?? false;
		const times = runs.length > 1 ? `, ran ${runs.length} times` : '';
		const details = isOurs ? describeOutput(runs) : [];
		return [
			`${name.padEnd(width)}  ${describeCount(runs)}${times}`,
			...details.map((detail) => `${' '.repeat(width)}  ${detail}`),
		];
	});
}

function describeOutput(runs: NodeRun[]): string[] {
	const items = listItems(runs.at(-1));
	if (items.length <= 1) return describeFields(runs);
	const lines = items.slice(0, MAX_ITEMS).map(({ json }) =>
		flatten(json)
			.slice(0, 2)
			.map(([, value]) => value)
			.join('  '),
	);
	const more = items.length - lines.length;
	return more > 0 ? [...lines, `and ${more} more`] : lines;
}

function describeCount(runs: NodeRun[]): string {
	const count = listItems(runs.at(-1)).length;
	return count === 1 ? '1 item' : `${count} items`;
}

/** `field: value`, or `field: first → … → last` when it changed from run to run. */
function describeFields(runs: NodeRun[]): string[] {
	const values = new Map<string, string[]>();
	for (const run of runs) {
		for (const [field, value] of flatten(listItems(run)[0]?.json ?? {})) {
			const seen = values.get(field) ?? [];
			if (seen.at(-1) !== value) seen.push(value);
			values.set(field, seen);
		}
	}
	return [...values].map(([field, seen]) => `${field}: ${seen.join(' → ')}`);
}

/** The items of the first output that gave any. */
function listItems(run: NodeRun | undefined): ExecutionItem[] {
	return run?.data?.main?.find((items) => items && items.length > 0) ?? [];
}

/** The plain values of an object, one level of objects inside it included: `usage.remainingCredits`. */
function flatten(json: Record<string, unknown>): [string, string][] {
	return Object.entries(json).flatMap(([field, value]): [string, string][] => {
		if (typeof value !== 'object' || value === null) return [[field, shorten(String(value))]];
		return Object.entries(value)
			.filter(([, inner]) => typeof inner !== 'object' || inner === null)
			.map(([name, inner]) => [`${field}.${name}`, shorten(String(inner))]);
	});
}

function shorten(text: string): string {
	return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH - 1)}…` : text;
}

/** Why an execution did not succeed, in n8n's own words: the node, what happened, what to do. */
export function describeExecutionFailure({ id, status, data }: Execution): string {
	const { error, lastNodeExecuted } = data.resultData;
	const node = error?.node?.name ?? lastNodeExecuted;
	const where = node ? ` at the node "${node}"` : '';
	const reasons = [error?.message, error?.description].filter(Boolean).map((text) => `  ${text}`);
	return [`Execution ${id} ended as "${status}"${where}.`, ...reasons].join('\n');
}
