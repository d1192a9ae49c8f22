import type { INodeProperties, INodePropertyOptions, INodeTypeDescription } from 'n8n-workflow';
import type { OperationDoc, OutputSchema, RecordedOutput } from './OperationDoc';
import { OPERATION_NOTES } from './OPERATION_NOTES';

export interface OperationSources {
	node: INodeTypeDescription;
	trigger: INodeTypeDescription;
	loadSchema(operation: string): OutputSchema;
	outputs: RecordedOutput[];
}

/**
 * Combines the descriptions, the schemas and the runs of each operation.
 *
 * @throws Error if an operation has no notes, or notes have no operation
 */
export function collectOperations(sources: OperationSources): OperationDoc[] {
	const docs = [...listOperations(sources), describeTrigger(sources)];
	return [...new Set([...Object.keys(OPERATION_NOTES), ...docs.map(({ name }) => name)])].map(
		(name) => {
			const doc = docs.find((each) => each.name === name);
			if (!doc || !OPERATION_NOTES[name]) {
				throw new Error(`Operations and OPERATION_NOTES do not agree about ${name}`);
			}
			return doc;
		},
	);
}

function listOperations(sources: OperationSources): OperationDoc[] {
	const { properties } = sources.node;
	const resources = properties.find(({ name }) => name === 'resource')
		?.options as INodePropertyOptions[];
	return resources.flatMap(({ name: resourceName, value: resource }) => {
		const operations = properties.find(
			({ name, displayOptions }) =>
				name === 'operation' && displayOptions?.show?.resource?.includes(resource),
		)?.options as INodePropertyOptions[];
		return operations.map((operation) => {
			const name = `${String(resource)}.${String(operation.value)}`;
			return {
				name,
				title: `${resourceName}: ${operation.name}`,
				description: operation.description ?? '',
				parameters: properties.filter((property) => isOf(property, resource, operation.value)),
				schema: sources.loadSchema(name),
				examples: takeExamples(sources, name),
			};
		});
	});
}

function isOf(
	{ displayOptions }: INodeProperties,
	resource: INodePropertyOptions['value'],
	operation: INodePropertyOptions['value'],
): boolean {
	const { resource: resources, operation: operations } = displayOptions?.show ?? {};
	return resources?.includes(resource) === true && operations?.includes(operation) === true;
}

/**
 * Describes the trigger. n8n loads no schema for a trigger: its output is a video of the list, with
 * the fields that a download adds.
 */
function describeTrigger(sources: OperationSources): OperationDoc {
	const { displayName, properties } = sources.trigger;
	const video = sources.loadSchema('video.getAll');
	return {
		name: 'trigger',
		title: displayName,
		// The trigger's own description is also displayed for the node in n8n's nodes panel.
		description: 'Start a workflow for every finished video',
		parameters: properties,
		schema: {
			...video,
			properties: {
				...video.properties,
				downloadError: {
					type: 'object',
					description:
						"With 'Download Video': why there is no file, as a message and a description",
				},
			},
		},
		examples: takeExamples(sources, 'trigger'),
	};
}

function takeExamples({ outputs }: OperationSources, name: string): RecordedOutput[] {
	return outputs.filter(({ operation, example }) => operation === name && example !== undefined);
}
