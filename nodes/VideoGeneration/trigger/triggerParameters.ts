import type { INodeProperties, IPollFunctions, TriggerPanelDefinition } from 'n8n-workflow';
import { toText } from '../api/response';
import { getSwitch, refuse, requireText } from '../item/parameters';
import { binaryPropertyField, createOptionsField } from '../resources/fields';

export const triggerProperties: INodeProperties[] = [
	{
		// n8n's nodes panel names the trigger after its options.
		displayName: 'Trigger On',
		name: 'event',
		type: 'options',
		noDataExpression: true,
		default: 'videoFinished',
		options: [
			{
				name: 'Video Finished',
				value: 'videoFinished',
				description: 'Starts the workflow when videos are finished, each of them once',
			},
		],
	},
	{
		displayName: 'Project Names or IDs',
		name: 'projectIds',
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod: 'getProjects' },
		default: [],
		description:
			'The projects whose videos start the workflow. Leave it empty for all projects. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	},
	createOptionsField(
		{
			displayName: 'Download Video',
			name: 'downloadVideo',
			type: 'boolean',
			default: false,
			description:
				"Whether to download the file of each video. If a download fails, the workflow starts without the file, and 'downloadError' says why. n8n never deletes these files: for many videos, use Video > Download in the workflow instead.",
		},
		{
			displayName: 'Emit Existing Videos',
			name: 'emitExisting',
			type: 'boolean',
			default: false,
			description:
				'Whether to also start the workflow for videos that are already finished when it is published for the first time. To get them later, use Video > Get Many.',
		},
		{
			...binaryPropertyField,
			required: false,
			displayOptions: { show: { downloadVideo: [true] } },
		},
	),
];

/** n8n's own text would call the newest video a mock event. */
export const triggerPanel: TriggerPanelDefinition = {
	header: 'Starts the workflow for finished videos, each of them once',
	executionsHelp:
		"<b>While building your workflow</b>, click the 'fetch test event' button. It shows your newest finished video, and does not affect which videos start the workflow later.<br /> <br /><b>Once it is published</b>, your workflow will also execute automatically, once for all newly finished videos that n8n finds. These executions will show up in the <a data-key='executions'>executions list</a>, but not in the editor.",
};

export interface PollParameters {
	/** Empty for all projects. */
	projectIds: string[];
	emitExisting: boolean;
	/** Undefined without downloads. */
	binaryPropertyName: string | undefined;
}

/** @throws a NodeOperationError that names the field to correct */
export function getTriggerParameters(context: IPollFunctions): PollParameters {
	const field = context.getNodeParameter('options.binaryPropertyName', '');
	const name = requireText(context, field, 'Put Output File in Field').trim();
	const isDownloading = getSwitch(context, 'options.downloadVideo', 'Download Video');
	return {
		projectIds: getProjectIds(context),
		emitExisting: getSwitch(context, 'options.emitExisting', 'Emit Existing Videos'),
		binaryPropertyName: isDownloading ? name || 'data' : undefined,
	};
}

/** From the list, or from an expression, which may also return IDs with commas between them. */
function getProjectIds(context: IPollFunctions): string[] {
	const value: unknown = context.getNodeParameter('projectIds', []);
	const words = toText(value).split(/[,;\n]/);
	const ids = Array.isArray(value) ? value.map(toText) : words.map(toText).filter(Boolean);
	const isSomething = Array.isArray(value) || ids.length > 0;
	// The brackets and quotes of a list as text would belong to the IDs.
	if (isSomething && ids.every((id) => /^[^"[\]]+$/.test(id))) return ids;
	const whatToDo =
		'Choose the projects from the list, or use an expression that returns IDs, as a list or with commas between them. An empty list means all projects. No video is missed: the trigger continues where it stopped.';
	return refuse(context, 'Project Names or IDs', 'a list of project IDs', whatToDo);
}
