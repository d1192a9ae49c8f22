import type { Execution, ExecutionItem } from '../../../scripts/n8n/n8nTypes';

/** The items that a node gave, the first time it ran; none when it did not run. */
export function readOutput({ data }: Execution, node: string): ExecutionItem[] {
	return data.resultData.runData?.[node]?.[0]?.data?.main?.[0] ?? [];
}
