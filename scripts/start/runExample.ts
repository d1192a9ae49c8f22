import type { N8nClient } from '../n8n/N8nClient';
import { describeExecution } from '../n8n/describeExecution';
import { describeExecutionFailure } from '../n8n/describeExecutionFailure';
import type { Workflow } from '../n8n/n8nTypes';
import { ReadableError } from '../ReadableError';
import { describeFiles } from './describeFiles';

export interface ExampleResult {
	nodes: string[];
	files: string[];
}

const MANUAL_TRIGGER = 'n8n-nodes-base.manualTrigger';
const TIMEOUT_MS = 180_000;

/**
 * Runs a workflow by its manual trigger.
 * @returns what it did and which files it has, as lines to print; rejects with the node's own message when it fails
 */
export async function runExample(
	client: N8nClient,
	{ id, name, nodes }: Workflow,
	packageName: string,
): Promise<ExampleResult> {
	const trigger = nodes.find(({ type }) => type === MANUAL_TRIGGER);
	if (!trigger)
		throw new ReadableError(`The workflow "${name}" has no Manual Trigger to start it.`);
	const executionId = await client.runWorkflow(id, trigger.name);
	const execution = await client.waitForExecution(executionId, TIMEOUT_MS);
	if (execution.status !== 'success') throw new ReadableError(describeExecutionFailure(execution));
	return {
		nodes: describeExecution(execution, packageName),
		files: await describeFiles(client, execution),
	};
}
