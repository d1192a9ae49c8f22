import type { Execution } from './n8nTypes';

/** Why an execution did not succeed, in n8n's own words: the node, what happened, what to do. */
export function describeExecutionFailure({ id, status, data }: Execution): string {
	const { error, lastNodeExecuted } = data.resultData;
	const node = error?.node?.name ?? lastNodeExecuted;
	const where = node ? ` at the node "${node}"` : '';
	const reasons = [error?.message, error?.description].filter(Boolean).map((text) => `  ${text}`);
	return [`Execution ${id} ended as "${status}"${where}.`, ...reasons].join('\n');
}
