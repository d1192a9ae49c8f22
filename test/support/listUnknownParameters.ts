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
	const isShown = (property: INodeProperties) =>
		NodeHelpers.displayParameter(withDefaults(node, description), property, node, description);
	return Object.entries(node.parameters).flatMap(([name, value]) => {
		const properties = description.properties.filter((property) => property.name === name);
		const shown = properties.filter(isShown);
		if (shown.length === 0) return [name];
		const collections = shown.filter(({ type }) => type === 'collection');
		if (collections.length === 0) return [];
		const known = collections.flatMap(({ options = [] }) => options.map((option) => option.name));
		return Object.keys(value ?? {})
			.filter((key) => !known.includes(key))
			.map((key) => `${name}.${key}`);
	});
}

/**
 * Adds the defaults to a node's parameters, because the type may show a parameter depending on the
 * default of another one.
 */
function withDefaults(node: INode, { properties }: INodeTypeDescription) {
	const all = NodeHelpers.getNodeParameters(properties, node.parameters, true, false, node, {
		properties,
	} as INodeTypeDescription);
	return { ...all, ...node.parameters };
}
