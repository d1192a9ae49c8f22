import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeExecutionData } from 'n8n-workflow';
import type { WorkflowContent, WorkflowNode } from '../../../scripts/n8n/n8nTypes';

export interface ExampleSetUp {
	/** Parameters and credentials for all nodes of a type, by the type. */
	choices: Record<string, Partial<Pick<WorkflowNode, 'parameters' | 'credentials'>>>;
	/** Parameters of single nodes, by node name: those that the notes ask for, and shorter times. */
	changes?: Record<string, Record<string, unknown>>;
	/** Settings of single nodes, e.g. `retryOnFail`. */
	settings?: Record<string, object>;
	/** Output of the triggers to which nothing can be sent by hand. */
	pinData?: Record<string, INodeExecutionData[]>;
}

/** Returns an example as it is published. */
export function readExample(name: string): WorkflowContent {
	return JSON.parse(readFileSync(join('examples', `${name}.json`), 'utf8')) as WorkflowContent;
}

/** Returns an example as a user has set it up. */
export function setUpExample(
	name: string,
	{ choices, changes = {}, settings = {}, pinData = {} }: ExampleSetUp,
): WorkflowContent & Pick<ExampleSetUp, 'pinData'> {
	const example = readExample(name);
	const names = example.nodes.map((node) => node.name);
	for (const changed of Object.keys({ ...changes, ...settings, ...pinData })) {
		if (!names.includes(changed)) throw new Error(`The example ${name} has no node "${changed}"`);
	}
	const nodes = example.nodes.map((node) => {
		const { parameters, credentials } = choices[node.type] ?? {};
		return {
			...node,
			parameters: { ...node.parameters, ...parameters, ...changes[node.name] },
			...(credentials ? { credentials } : {}),
			...settings[node.name],
		};
	});
	return { ...example, nodes, pinData };
}
