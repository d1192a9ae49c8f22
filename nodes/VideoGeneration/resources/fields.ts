import type { IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';
import { encodePathSegment } from '../api/endpoints';
import { DEFAULT_MAX_TRIES } from '../api/retry';
import type { Operation, Operations } from '../item/job';
import { CHECK_EXPRESSION, getId, refuse, requireGiven, requireText } from '../item/parameters';

/** What the canvas shows under the node's name, such as "Video: Get Many". Its JSON is flat: "}}" would end the expression. */
export function createSubtitle(operations: Operations): string {
	const names = Object.entries(operations).flatMap(([resource, ofResource]) =>
		Object.entries(ofResource).map(([operation, { name }]) => [
			`${resource}.${operation}`,
			`${resource.charAt(0).toUpperCase()}${resource.slice(1)}: ${name}`,
		]),
	);
	return `={{ (${JSON.stringify(Object.fromEntries(names))})[$parameter.resource + "." + $parameter.operation] ?? $parameter.operation }}`;
}

/** "Operation" of a resource, by default Generate or the first one, and the fields of each; all have "Options". */
export function describeResource(
	resource: string,
	operations: Record<string, Operation>,
): INodeProperties[] {
	const [first = ''] = Object.keys(operations);
	const defaultOperation = 'generate' in operations ? 'generate' : first;
	return [
		{
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show: { resource: [resource] } },
			default: defaultOperation,
			options: Object.entries(operations).map(([value, { name, action, description, request }]) => {
				// n8n's own routing hands the request to the node's `pagination` function.
				const routing = { request, send: { paginate: true } };
				return { name, value, action, description, routing };
			}),
		},
		...Object.entries(operations).flatMap(([operation, { fields, options = [], sort = [] }]) =>
			[...fields, createOptionsField(maxTriesOption, ...options), sort].flat().map((each) => {
				const { displayOptions, ...field } = each;
				const show = { ...displayOptions?.show, resource: [resource], operation: [operation] };
				return { ...field, displayOptions: { ...displayOptions, show } };
			}),
		),
	];
}

const maxTriesOption: INodeProperties = {
	displayName: 'Max Tries',
	name: 'maxTries',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 10, numberPrecision: 0 },
	default: DEFAULT_MAX_TRIES,
	description:
		'Maximum number of times to send a request if the service is busy or cannot be reached. A request that may have cost a credit is never sent again.',
};

/** "Options" of an operation or of the trigger, in alphabetical order. */
export function createOptionsField(...options: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: options.sort((a, b) => (a.displayName < b.displayName ? -1 : 1)),
	};
}

/** "Return All" and "Limit", as every list in n8n has them. */
export const limitFields: INodeProperties[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		displayOptions: { show: { returnAll: [false] } },
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 50,
		description: 'Max number of results to return',
	},
];

export const projectLocator: INodeProperties = {
	displayName: 'Project',
	name: 'projectId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a project…',
			typeOptions: { searchListMethod: 'searchProjects', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. 6f1c2a7e',
			hint: "Project > Get Many returns it as 'id'",
		},
	],
};

/** The common part of the operations on a queue item. */
export const ofQueueItem = {
	texts: {
		fields: "'Queue ID'",
		notFound: {
			message: 'The video service has no queue item with this ID',
			description:
				"Check 'Queue ID' of this item. It may belong to another account, or it was deleted, or its video is finished. Look for the video with Video > Get Many.",
		},
	},
	fields: [
		{
			displayName: 'Queue ID',
			name: 'queueId',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. {{ $json.queueId }}',
			description: "The 'queueId' that Queue > Add returned for the video",
		},
	],
	getIds: ({ queueId }) => ({ queueId }),
	prepare: (context) => ({ queueId: getQueueId(context) }),
} satisfies Partial<Operation<{ queueId: string }>>;

/** "Queue ID". @throws a NodeOperationError when it is empty, or cannot be a part of a path */
export function getQueueId(context: IExecuteSingleFunctions): string {
	const queueId = getId(context, 'queueId', 'Queue ID');
	if (encodePathSegment(queueId) !== undefined) return queueId;
	const whatToDo = `Enter the 'queueId' that Queue > Add returned. ${CHECK_EXPRESSION}`;
	return refuse(context, 'Queue ID', 'the ID of a queue item', whatToDo);
}

export const binaryPropertyField: INodeProperties = {
	displayName: 'Put Output File in Field',
	name: 'binaryPropertyName',
	type: 'string',
	required: true,
	default: 'data',
	hint: 'The name of the output binary field to put the file in',
	description: "Most nodes read files from the field 'data'",
};

export const fileNameOption: INodeProperties = {
	displayName: 'File Name',
	name: 'fileName',
	type: 'string',
	default: '',
	placeholder: 'e.g. product-teaser.mp4',
	description:
		'The name of the file. Leave it empty to use the name in the address. The extension is added if it is missing. A number is added if another file of the run has the name.',
};

/** `fileName` is '' for the name in the address. */
export interface FileSettings {
	binaryPropertyName: string;
	fileName: string;
}

/** @throws a NodeOperationError that names the field */
export function getFileSettings(context: IExecuteSingleFunctions): FileSettings {
	const getText = (name: string, label: string) =>
		requireText(context, context.getNodeParameter(name, ''), label).trim();
	const label = 'Put Output File in Field';
	const whatToDo = "Enter a name such as 'data'. Nothing was sent.";
	const field = getText('binaryPropertyName', label);
	const binaryPropertyName = requireGiven(context, field, label, whatToDo);
	return { binaryPropertyName, fileName: getText('options.fileName', 'File Name') };
}
