import type { Credential, WorkflowContent } from '../../../scripts/n8n/n8nTypes';
import { attachStep } from './attachStep';
import { buildWorkflow, START, type WorkflowStep } from './buildWorkflow';

const LANGCHAIN = '@n8n/n8n-nodes-langchain';

/** The chat model node's parameter that selects the model. */
export const MODEL = { __rl: true, mode: 'id', value: 'scripted' };

/** Builds a workflow with a new AI Agent of n8n, a chat model, and our nodes as its tools. */
export function buildAgent(modelCredential: Credential, tools: WorkflowStep[]): WorkflowContent {
	const agent = {
		name: 'Agent',
		type: `${LANGCHAIN}.agent`,
		typeVersion: 3,
		parameters: { promptType: 'define', text: 'Make a video of the sea' },
	};
	const model = {
		name: 'Model',
		type: `${LANGCHAIN}.lmChatOpenAi`,
		typeVersion: 1.3,
		parameters: {
			model: MODEL,
			options: { maxRetries: 0 },
		},
		credentials: { openAiApi: { id: modelCredential.id, name: modelCredential.name } },
	};
	const content = buildWorkflow('Agent', [START, agent]);
	return tools.reduce(
		(whole, tool) =>
			attachStep(whole, { ...tool, type: `${tool.type}Tool` }, agent.name, 'ai_tool'),
		attachStep(content, model, agent.name, 'ai_languageModel'),
	);
}
