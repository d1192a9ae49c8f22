import type { Credential, WorkflowContent, WorkflowNode } from '../../../scripts/n8n/n8nTypes';
import { PACKAGE } from './PLACES';

const GRID_PX = 220;

/** A node of a workflow; `settings` are those of n8n's Settings tab, e.g. `onError`. */
export interface WorkflowStep {
	name: string;
	type: string;
	typeVersion?: number;
	parameters?: Record<string, unknown>;
	credentials?: WorkflowNode['credentials'];
	settings?: Record<string, unknown>;
}

/**
 * Builds a workflow of consecutive steps, and of steps after the error output of one of them.
 * `onError` maps such a step to the step before it: `{ Repair: 'Queue' }`.
 */
export function buildWorkflow(
	name: string,
	steps: WorkflowStep[],
	{ onError = {}, settings = {} }: { onError?: Record<string, string>; settings?: object } = {},
): WorkflowContent {
	const nodes = steps.map(({ settings: nodeSettings, ...step }, index): WorkflowNode => ({
		id: `step-${index}`,
		typeVersion: 1,
		position: [index * GRID_PX, 0],
		parameters: {},
		...step,
		...nodeSettings,
	}));
	const to = (node: string) => [{ node, type: 'main', index: 0 }];
	const line = steps.filter((step) => !(step.name in onError));
	const connections: Record<string, { main: ReturnType<typeof to>[] }> = {};
	line.forEach((step, index) => {
		const next = line[index + 1];
		const repair = Object.keys(onError).find((key) => onError[key] === step.name);
		if (!next && !repair) return;
		connections[step.name] = {
			main: [next ? to(next.name) : [], ...(repair ? [to(repair)] : [])],
		};
	});
	return { name, nodes, connections, settings: { executionOrder: 'v1', ...settings } };
}

/** The start of a workflow that is run by hand. */
export const START: WorkflowStep = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };

/** Creates two steps of which the second one outputs these items, without code (see `WITHOUT_CODE`). */
export function makeItems(items: object[], name = 'Items'): WorkflowStep[] {
	return [
		{
			name: `List of ${name}`,
			type: 'n8n-nodes-base.set',
			typeVersion: 3.4,
			parameters: { mode: 'raw', jsonOutput: JSON.stringify({ items }) },
		},
		{
			name,
			type: 'n8n-nodes-base.splitOut',
			parameters: { fieldToSplitOut: 'items', options: {} },
		},
	];
}

/** Creates a step with our node. */
export function videoGeneration(
	name: string,
	credential: Credential,
	parameters: Record<string, unknown>,
	settings: Record<string, unknown> = {},
): WorkflowStep {
	return {
		name,
		type: `${PACKAGE}.videoGeneration`,
		parameters,
		credentials: { videoGenerationApi: { id: credential.id, name: credential.name } },
		settings,
	};
}

/** Creates a step with our trigger. It polls every ten seconds: n8n takes only poll times that are a minute apart. */
export function videoGenerationTrigger(
	name: string,
	{ id, name: credentialName }: Credential,
	options: Record<string, unknown> = {},
): WorkflowStep {
	const item = [0, 10, 20, 30, 40, 50].map((second) => ({
		...{ mode: 'custom', cronExpression: `${second} * * * * *` },
	}));
	return {
		...{ name, type: `${PACKAGE}.videoGenerationTrigger` },
		parameters: { pollTimes: { item }, options },
		credentials: { videoGenerationApi: { id, name: credentialName } },
	};
}

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
