import type { INode } from 'n8n-workflow';

/** A node of a workflow as n8n stores it. */
export function createTestNode(name: string, type: string, more: Partial<INode> = {}): INode {
	return { id: name, name, type, typeVersion: 1, position: [0, 0], parameters: {}, ...more };
}

/** How a node names the credential that it uses. */
export const CREDENTIALS = { videoGenerationApi: { id: '1', name: 'Video Generation API' } };
