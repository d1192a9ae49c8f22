import type { OperationDoc, OutputSchema, RecordedOutput } from './OperationDoc';
import type { INodeProperties, INodePropertyOptions, INodeTypeDescription } from 'n8n-workflow';

/** Facts about an operation that its users need and that no description of the node contains. */
export interface OperationNote {
	cost: string;
	notes?: string[];
	/** The output, if a list of fields does not describe it. */
	output?: string;
}

/** The notes, in the order in which the operations are documented. */
export const OPERATION_NOTES: Record<string, OperationNote> = {
	'queue.add': {
		cost: 'credits, usually 1',
		notes: [
			'Videos are queued one at a time, in the order of the items; with **Wait for Completion**, [those of one project are also made one after the other](paying-once.md#which-video-belongs-to-which-item). See [Paying once](paying-once.md).',
			'With **Credits to Keep**, a node that stops on errors queues nothing unless all items fit. With an error output, it queues those that fit. Two executions at the same time can both pass.',
		],
	},
	'queue.getProgress': {
		cost: 'free',
		notes: ['It checks once. To wait until the video is finished, use [Queue: Wait](#queue-wait).'],
	},
	'queue.wait': {
		cost: 'free',
		notes: [
			'All items wait at the same time. For videos that take hours, see [Long videos](scaling.md#long-videos).',
			'If several videos of one project finish close together, `video` and `videoUrl` can be `null`, and `videoCandidates` lists [what it may be](paying-once.md#which-video-belongs-to-which-item).',
			'With **Download Video**, the output also contains the file. After a failed download, a retry only downloads.',
		],
	},
	'queue.clear': {
		cost: "free, but you can't undo it",
		notes: [
			"The API calls it clear. The service doesn't say whether it refunds a video that is deleted before it is finished.",
		],
	},
	'video.getAll': {
		cost: 'free',
		notes: [
			'The service always sends its whole list. Filters and limit shorten the output, not the request.',
		],
	},
	'video.download': {
		cost: 'free',
		notes: [
			"The file is streamed into n8n's storage and checked to be a video that arrived as announced. Up to 4 videos are downloaded at the same time.",
			"AI agents can't use this operation, because n8n can't pass files to agents.",
		],
		output: 'The input item with the file added.',
	},
	'project.getAll': { cost: 'free' },
	'account.get': { cost: 'free' },
	trigger: {
		cost: 'free',
		notes: [
			'n8n checks for new videos at the **Poll Times** that you set, at most once a minute. All videos since the last check start one execution, oldest first. See [how the trigger works](trigger.md).',
		],
	},
};

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
