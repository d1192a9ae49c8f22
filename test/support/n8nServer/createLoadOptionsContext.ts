import type { INodeListSearchItems, INodeParameters, INodeTypes } from 'n8n-workflow';
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

/** Returns what a list search of the node offers in the editor. */
export async function searchList(
	credentials: { baseUrl: string; apiKey: string },
	name: string,
	filter?: string,
	parameters: INodeParameters = {},
): Promise<INodeListSearchItems[]> {
	const { context, nodeTypes } = await createLoadOptionsContext(credentials, NODE_TYPE, parameters);
	const search = nodeTypes.getByNameAndVersion(NODE_TYPE).methods?.listSearch?.[name];
	if (!search) throw new Error(`The node has no ${name}`);
	return (await search.call(context, filter)).results;
}
