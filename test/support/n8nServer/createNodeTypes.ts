import type { IExecuteFunctions, INodeType, INodeTypes } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { RoutingNode } from 'n8n-core';

/** Type of the node before ours and of the nodes after it, which pass their items on. */
export const PASS_ON = 'test.passOn';
/**
 * Type of a node that sets `found` of each item to its parameter, so that an expression can look
 * back.
 */
export const LOOK_BACK = 'test.lookBack';
/** Type of the last node of a loop, which begins no other round. */
export const LOOP_END = 'test.loopEnd';

/**
 * Creates n8n's registry of node types, with the package's nodes and those that a test puts around
 * them.
 */
export function createNodeTypes(packageNodes: Record<string, INodeType>): INodeTypes {
	const types: Record<string, INodeType> = {
		[PASS_ON]: passOn,
		[LOOK_BACK]: lookBack,
		[LOOP_END]: loopEnd,
	};
	for (const [name, type] of Object.entries(packageNodes)) types[name] = withExecute(type);
	const find = (name: string) => {
		const type = types[name];
		if (!type) throw new Error(`Unknown node type ${name}`);
		return type;
	};
	return {
		getByName: find,
		getByNameAndVersion: find,
		getKnownTypes: () => ({}),
	};
}

/** Adds the same `execute` to a declarative node that n8n adds when it looks the type up. */
function withExecute(type: INodeType): INodeType {
	if (type.description.requestDefaults === undefined || type.execute) return type;
	const executable = Object.create(type) as INodeType;
	executable.execute = async function () {
		return (await new RoutingNode(this as never, type).runNode()) ?? [];
	};
	return executable;
}

/** Describes a node with nothing but parameters. */
export function describeType(
	name: string,
	properties: INodeType['description']['properties'] = [],
) {
	return {
		displayName: name,
		name,
		group: ['transform' as const],
		version: 1,
		description: '',
		defaults: { name },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		properties,
	};
}

const passOn: INodeType = {
	description: describeType(PASS_ON),
	async execute(this: IExecuteFunctions) {
		return await Promise.resolve([
			this.getInputData().map((item, index) => ({ ...item, pairedItem: { item: index } })),
		]);
	},
};

const lookBack: INodeType = {
	description: describeType(LOOK_BACK, [
		{ displayName: 'Found', name: 'found', type: 'string', default: '' },
	]),
	async execute(this: IExecuteFunctions) {
		const items = this.getInputData().map(({ json }, item) => ({
			json: { ...json, found: this.getNodeParameter('found', item) as string },
			pairedItem: { item },
		}));
		return await Promise.resolve([items]);
	},
};

const loopEnd: INodeType = {
	description: describeType(LOOP_END),
	execute: async () => await Promise.resolve([[]]),
};
