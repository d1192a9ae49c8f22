import type { INodeProperties, INodePropertyOptions, INodeTypeDescription } from 'n8n-workflow';
import type { RecordedOutput } from '../examples/recordOutputs';
import { loadSchema, type OutputSchema } from '../schemas/loadSchema';

/** All facts about one operation, or about the trigger. */
export interface OperationDoc extends OperationNote {
	/** The displayed name: `Queue: Add`. */
	title: string;
	/** A sentence that says what it does. */
	description: string;
	/** The parameters of this operation only, in the order of the panel. */
	parameters: INodeProperties[];
	schema: OutputSchema;
	examples: RecordedOutput[];
}

/** Facts about an operation that its users need and that no description of the node contains. */
interface OperationNote {
	cost: string;
	notes?: string[];
	/** The output, if a list of fields does not describe it. */
	output?: string;
}

/** The notes, in the order in which the operations are documented. */
const OPERATION_NOTES: Record<string, OperationNote> = {
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

/**
 * Combines the descriptions, the schemas and the runs of each operation.
 *
 * @throws Error if an operation has no notes, or notes have no operation
 */
export function collectOperations(
	node: INodeTypeDescription,
	trigger: INodeTypeDescription,
	outputs: RecordedOutput[],
): OperationDoc[] {
	const docs: Record<string, Description> = {
		...describeOperations(node),
		trigger: describeTrigger(trigger),
	};
	return [...new Set([...Object.keys(OPERATION_NOTES), ...Object.keys(docs)])].map((name) => {
		const [doc, note] = [docs[name], OPERATION_NOTES[name]];
		if (!doc || !note) throw new Error(`Operations and notes do not agree about ${name}`);
		const examples = outputs.filter(
			({ operation, example }) => operation === name && example !== undefined,
		);
		return { ...doc, ...note, examples };
	});
}

type Description = Pick<OperationDoc, 'title' | 'description' | 'parameters' | 'schema'>;

function describeOperations({ properties }: INodeTypeDescription): Record<string, Description> {
	const resources = properties.find(({ name }) => name === 'resource')?.options ?? [];
	const described = (resources as INodePropertyOptions[]).flatMap((resource) => {
		const ofResource = properties.filter(({ displayOptions }) =>
			displayOptions?.show?.resource?.includes(resource.value),
		);
		const operations = ofResource.find(({ name }) => name === 'operation')?.options ?? [];
		return (operations as INodePropertyOptions[]).map((operation) => {
			const name = `${String(resource.value)}.${String(operation.value)}`;
			const description = {
				title: `${resource.name}: ${operation.name}`,
				description: operation.description ?? '',
				parameters: ofResource.filter(({ displayOptions }) =>
					displayOptions?.show?.operation?.includes(operation.value),
				),
				schema: loadSchema(name),
			};
			return [name, description] as const;
		});
	});
	return Object.fromEntries(described);
}

/**
 * Describes the trigger. n8n loads no schema for a trigger: its output is a video of the list, with
 * the fields that a download adds.
 */
function describeTrigger({ displayName, properties }: INodeTypeDescription): Description {
	const video = loadSchema('video.getAll');
	const downloadError = {
		type: 'object',
		description: "With 'Download Video': why there is no file, as a message and a description",
	};
	return {
		title: displayName,
		// The trigger's own description is also displayed for the node in n8n's nodes panel.
		description: 'Start a workflow for every finished video',
		parameters: properties,
		schema: { ...video, properties: { ...video.properties, downloadError } },
	};
}
