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
	/** The agent or trigger that it serves as a model or a tool: such a step has no place in the line. */
	serves?: { node: string; as: 'ai_languageModel' | 'ai_tool' };
}

/** Builds a workflow of consecutive steps, and of those that serve one of them. */
export function buildWorkflow(
	name: string,
	steps: WorkflowStep[],
	settings: object = {},
): WorkflowContent {
	const nodes = steps.map(({ settings: nodeSettings, serves, ...step }, index): WorkflowNode => ({
		id: `step-${index}`,
		typeVersion: 1,
		position: [index * GRID_PX, serves ? GRID_PX : 0],
		parameters: {},
		...step,
		...nodeSettings,
	}));
	const line = steps.filter((step) => !step.serves);
	const connections = Object.fromEntries(
		steps.flatMap((step) => {
			const type = step.serves?.as ?? 'main';
			const node = step.serves?.node ?? line[line.indexOf(step) + 1]?.name;
			return node ? [[step.name, { [type]: [[{ node, type, index: 0 }]] }]] : [];
		}),
	);
	return { name, nodes, connections, settings: { executionOrder: 'v1', ...settings } };
}

/** The choice of credentials in a node, which uses those of its types. */
export const withCredentials = (...credentials: Credential[]) => ({
	credentials: Object.fromEntries(credentials.map(({ id, name, type }) => [type, { id, name }])),
});

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

/** The start of a workflow that another one calls, with its items. */
export const CALLED: WorkflowStep = {
	name: 'Called',
	type: 'n8n-nodes-base.executeWorkflowTrigger',
	typeVersion: 1.1,
	parameters: { inputSource: 'passthrough' },
};

/** Creates a step that calls another workflow, which must be published. */
export const callWorkflow = (id: string): WorkflowStep => ({
	name: 'Call',
	type: 'n8n-nodes-base.executeWorkflow',
	typeVersion: 1.2,
	parameters: { workflowId: { __rl: true, mode: 'id', value: id }, options: {} },
});

/** Creates the chat model of an agent, whose answers a script has. */
export const chatModel = (credential: Credential, node: string): WorkflowStep => ({
	name: 'Model',
	type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
	typeVersion: 1.3,
	parameters: {
		model: { __rl: true, mode: 'id', value: 'scripted' },
		responsesApiEnabled: false,
		options: { maxRetries: 0 },
	},
	...withCredentials(credential),
	serves: { node, as: 'ai_languageModel' },
});

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
		...withCredentials(credential),
		settings,
	};
}

/** Creates a step with our trigger. It polls every ten seconds: n8n takes only poll times that are a minute apart. */
export function videoGenerationTrigger(
	name: string,
	credential: Credential,
	options: Record<string, unknown> = {},
): WorkflowStep {
	const item = [0, 10, 20, 30, 40, 50].map((second) => ({
		mode: 'custom',
		cronExpression: `${second} * * * * *`,
	}));
	return {
		name,
		type: `${PACKAGE}.videoGenerationTrigger`,
		parameters: { pollTimes: { item }, options },
		...withCredentials(credential),
	};
}

/**
 * Builds a workflow that a POST request starts, with the request's body as its input.
 *
 * @param path path of its webhook
 * @param response what the webhook responds; by default, at once the execution's id
 */
export function buildCalledWorkflow(
	path: string,
	steps: WorkflowStep[],
	response: object = {
		responseMode: 'onReceived',
		options: { responseData: '={{ $execution.id }}' },
	},
): WorkflowContent {
	const webhook: WorkflowStep = {
		name: 'Webhook',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		parameters: { httpMethod: 'POST', path, ...response },
		settings: { webhookId: path },
	};
	return buildWorkflow(path, [webhook, ...steps]);
}
