import type { WorkflowContent } from '../../../scripts/n8n/n8nTypes';
import type { WorkflowStep } from './buildWorkflow';

const BELOW_PX = 220;

/** Adds a step that serves another one, as a chat model or a tool serves an agent. */
export function attachStep(
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
