import {
	NodeHelpers,
	type INode,
	type INodeProperties,
	type INodeTypeDescription,
} from 'n8n-workflow';

/**
 * The parameters of a node that its type does not show where the node stands as it does: what n8n
 * would drop in silence. Those inside collections come as `options.limit`.
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

/** The type shows a parameter by the values of others, which are their defaults where the node has none. */
function withDefaults(node: INode, { properties }: INodeTypeDescription) {
	const all = NodeHelpers.getNodeParameters(properties, node.parameters, true, false, node, {
		properties,
	} as INodeTypeDescription);
	return { ...all, ...node.parameters };
}
