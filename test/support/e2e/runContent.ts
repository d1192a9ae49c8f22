import type { N8nClient } from '../../../scripts/n8n/N8nClient';
import type { INodeExecutionData } from 'n8n-workflow';
import type { Execution, WorkflowContent } from '../../../scripts/n8n/n8nTypes';
import { START } from './buildWorkflow';

const TIMEOUT_MS = 300_000;

/** Runs a workflow from its START as a user does by hand, and waits for its end. */
export async function runContent(client: N8nClient, content: WorkflowContent): Promise<Execution> {
	const { id } = await client.createWorkflow(content);
	return await client.waitForExecution(await client.runWorkflow(id, START.name), TIMEOUT_MS);
}

/** Returns the output items of a node's last run; `output` 1 is its error output. */
export function readItems({ data }: Execution, node: string, output = 0): INodeExecutionData[] {
	return data.resultData.runData[node]?.at(-1)?.data?.main?.[output] ?? [];
}
