import type { INodeParameters, INodeTypes } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';
import { LoadOptionsContext } from 'n8n-core';
import { createNodeTypes } from './createNodeTypes';
import { CREDENTIALS, createTestNode } from '../engine/createTestNode';
import { loadPackage } from '../engine/loadPackage';
import { NODE_TYPE } from '../engine/runNode';
import { createAdditionalData } from './TestCredentialsHelper';

/**
 * Creates the context in which n8n calls a node's list searches and option lists while a user edits
 * the node.
 */
export async function createLoadOptionsContext(
	credentials: { baseUrl: string; apiKey: string },
	type = NODE_TYPE,
	parameters: INodeParameters = {},
): Promise<{ context: LoadOptionsContext; nodeTypes: INodeTypes }> {
	const loaded = await loadPackage();
	const nodeTypes = createNodeTypes(loaded.nodes);
	const node = createTestNode('Video Generation', type, { credentials: CREDENTIALS, parameters });
	const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
	const additionalData = createAdditionalData(loaded.credentials, credentials);
	return { context: new LoadOptionsContext(workflow, node, additionalData, ''), nodeTypes };
}
