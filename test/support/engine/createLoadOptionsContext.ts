import type { INode, INodeTypes, IWorkflowExecuteAdditionalData } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';
import { LoadOptionsContext } from 'n8n-core';
import { createNodeTypes } from './createNodeTypes';
import { loadPackage } from './loadPackage';
import { NODE_TYPE } from './runNode';
import { TestCredentialsHelper } from './TestCredentialsHelper';

/**
 * Creates the context in which n8n calls a node's list searches and option lists while a user edits
 * the node.
 */
export async function createLoadOptionsContext(
	credentials: { baseUrl: string; apiKey: string },
	type = NODE_TYPE,
): Promise<{ context: LoadOptionsContext; nodeTypes: INodeTypes }> {
	const loaded = await loadPackage();
	const nodeTypes = createNodeTypes(loaded.nodes);
	const node: INode = {
		id: '1',
		name: 'Video Generation',
		type,
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
		credentials: { videoGenerationApi: { id: '1', name: 'Video Generation API' } },
	};
	const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
	const additionalData = {
		credentialsHelper: new TestCredentialsHelper(loaded.credentials, credentials),
	} as unknown as IWorkflowExecuteAdditionalData;
	return { context: new LoadOptionsContext(workflow, node, additionalData, ''), nodeTypes };
}
