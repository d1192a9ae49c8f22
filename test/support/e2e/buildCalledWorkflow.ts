import type { WorkflowContent } from '../../../scripts/n8n/n8nTypes';
import { buildWorkflow, type WorkflowStep } from './buildWorkflow';

/**
 * Builds a workflow that a POST request starts, with the request's body as its input. The response
 * is the execution's id.
 *
 * @param path path of its webhook
 */
export function buildCalledWorkflow(path: string, steps: WorkflowStep[]): WorkflowContent {
	const webhook: WorkflowStep = {
		name: 'Webhook',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		parameters: {
			httpMethod: 'POST',
			path,
			responseMode: 'onReceived',
			options: { responseData: '={{ $execution.id }}' },
		},
		settings: { webhookId: path },
	};
	return buildWorkflow(path, [webhook, ...steps]);
}
