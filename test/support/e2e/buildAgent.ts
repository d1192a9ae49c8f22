import type { Credential, WorkflowContent } from '../../../scripts/n8n/n8nTypes';
import { buildWorkflow, START, type WorkflowStep } from './buildWorkflow';

const BELOW_PX = 220;
const LANGCHAIN = '@n8n/n8n-nodes-langchain';

/** The chat model node's parameter that selects the model. */
export const MODEL = { __rl: true, mode: 'id', value: 'scripted' };

/** Builds a workflow with an AI Agent of n8n, a chat model, and our nodes as its tools. */
export function buildAgent(
	modelCredential: Credential,
	tools: WorkflowStep[],
	typeVersion = 3,
): WorkflowContent {
	const agent = {
		name: 'Agent',
		type: `${LANGCHAIN}.agent`,
		typeVersion,
		parameters: { promptType: 'define', text: 'Make a video of the sea' },
	};
	const model = {
		name: 'Model',
		type: `${LANGCHAIN}.lmChatOpenAi`,
		typeVersion: 1.3,
		parameters: {
			model: MODEL,
			// Older agents refuse models with the newer of OpenAI's APIs.
			responsesApiEnabled: typeVersion >= 3,
			options: { maxRetries: 0 },
		},
		credentials: { openAiApi: { id: modelCredential.id, name: modelCredential.name } },
	};
	const content = buildWorkflow('Agent', [START, agent]);
	return attachTools(attachStep(content, model, agent.name, 'ai_languageModel'), tools, agent.name);
}

/** Builds a workflow that offers our nodes as tools to MCP clients, at `/mcp/<path>`. */
export function buildMcpServer(path: string, tools: WorkflowStep[]): WorkflowContent {
	const trigger = {
		name: 'MCP server',
		type: `${LANGCHAIN}.mcpTrigger`,
		typeVersion: 2.1,
		parameters: { path },
		settings: { webhookId: path },
	};
	return attachTools(buildWorkflow(path, [trigger]), tools, trigger.name);
}

/** Describes one of n8n's Agents, with a chat model, and our nodes as its tools. */
export function buildConfig(modelCredential: Credential, tools: WorkflowStep[]) {
	return {
		name: 'Agent',
		model: `openai/${MODEL.value}`,
		credential: modelCredential.id,
		instructions: 'Make videos',
		tools: tools.map(({ credentials, name, parameters, type }) => ({
			type: 'node',
			name,
			node: { nodeType: type, nodeTypeVersion: 1, nodeParameters: parameters, credentials },
		})),
	};
}

function attachTools(content: WorkflowContent, tools: WorkflowStep[], to: string): WorkflowContent {
	return tools.reduce(
		(whole, tool) => attachStep(whole, { ...tool, type: `${tool.type}Tool` }, to, 'ai_tool'),
		content,
	);
}

/** Adds a step that serves another one, as a chat model or a tool serves an agent. */
function attachStep(
	{ nodes, connections, ...content }: WorkflowContent,
	{ settings, ...step }: WorkflowStep,
	to: string,
	type: 'ai_languageModel' | 'ai_tool',
): WorkflowContent {
	const node = {
		id: `attached-${nodes.length}`,
		typeVersion: 1,
		position: [nodes.length * BELOW_PX, BELOW_PX] as [number, number],
		parameters: {},
		...step,
		...settings,
	};
	const connection = { [type]: [[{ node: to, type, index: 0 }]] };
	return {
		...content,
		nodes: [...nodes, node],
		connections: { ...connections, [step.name]: connection },
	};
}
