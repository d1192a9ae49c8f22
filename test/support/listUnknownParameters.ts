import {
	NodeHelpers,
	type INode,
	type INodeProperties,
	type INodeTypeDescription,
} from 'n8n-workflow';

/**
 * Returns the parameters of a node that its type does not show in the node's current state, and
 * that n8n would silently drop. Those inside collections are named like `options.limit`.
 */
export function listUnknownParameters(node: INode, description: INodeTypeDescription): string[] {
	const { parameters } = node;
	const { properties } = description;
	// The type may show a parameter depending on the default of another one.
	const all = NodeHelpers.getNodeParameters(properties, parameters, true, false, node, description);
	const isShown = (property: INodeProperties) =>
		NodeHelpers.displayParameter({ ...all, ...parameters }, property, node, description);
	return Object.entries(parameters).flatMap(([name, value]) => {
		const shown = properties.filter((property) => property.name === name && isShown(property));
		if (shown.length === 0) return [name];
		const collections = shown.filter(({ type }) => type === 'collection');
		if (collections.length === 0) return [];
		const known = collections.flatMap(({ options = [] }) => options.map((option) => option.name));
		const unknown = Object.keys(value ?? {}).filter((key) => !known.includes(key));
		return unknown.map((key) => `${name}.${key}`);
	});
}
