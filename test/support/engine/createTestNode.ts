import type { INode } from 'n8n-workflow';

/** Creates a node as n8n stores it in a workflow. */
export function createTestNode(name: string, type: string, more: Partial<INode> = {}): INode {
	return { id: name, name, type, typeVersion: 1, position: [0, 0], parameters: {}, ...more };
}

/** A node's reference to its credential. */
export const CREDENTIALS = { videoGenerationApi: { id: '1', name: 'Video Generation API' } };
