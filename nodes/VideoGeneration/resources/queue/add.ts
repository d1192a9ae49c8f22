import type { IExecuteSingleFunctions, IHttpRequestOptions, INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import type { Operation } from '../../execution/job';
import { createInputError, getProjectId, getSwitch, getText } from '../../execution/parameters';
import { createOptionsField, maxTriesOption, projectLocator } from '../fields';
import { createPreSend } from '../steps';
import { finishedVideoFields, getWaitSettings, waitOptions } from './waitOptions';

/** As the editor writes it: the rule for texts would write the field's name in upper case. */
const ID_OF_ROW = '{{ $json.id }}';

export const addFields: INodeProperties[] = updateDisplayOptions(
	{ show: { resource: ['queue'], operation: ['add'] } },
	[
		{
			...projectLocator,
			required: true,
			description:
				'The project to make the video from. Most videos cost 1 credit; some projects cost more.',
		},
		{
			displayName: 'Overwrite Settings',
			name: 'overwriteSettings',
			type: 'boolean',
			default: false,
			description:
				"Whether to replace the settings saved in the project. 'Custom Prompt' is then required.",
		},
		{
			displayName: 'Custom Prompt',
			name: 'customPrompt',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			placeholder: 'e.g. A sunrise over the sea, calm music',
			description:
				"What the video shows. Leave it empty to use the project's own prompt. Required when 'Overwrite Settings' is on.",
		},
		{
			displayName: 'Wait for Completion',
			name: 'waitForCompletion',
			type: 'boolean',
			default: false,
			description:
				'Whether to wait until the video is finished and return it with its URL. Videos of one project are made one after the other.',
			builderHint: {
				propertyHint: 'Replaces a loop of Wait, Get Progress and IF nodes',
			},
		},
		...updateDisplayOptions({ show: { waitForCompletion: [true] } }, [
			...finishedVideoFields,
			waitOptions,
		]),
		createOptionsField(
			{
				displayName: 'Credits per Video',
				name: 'creditsPerVideo',
				type: 'number',
				typeOptions: { minValue: 0 },
				default: 1,
				description: "How many credits a video of this project costs. Used by 'Credits to Keep'.",
			},
			{
				displayName: 'Credits to Keep',
				name: 'creditsToKeep',
				type: 'number',
				typeOptions: { minValue: 0 },
				default: 0,
				description:
					"How many credits to keep in the account. Videos that would leave fewer are not queued. If a video costs more than 1 credit, also set 'Credits per Video'.",
				builderHint: {
					propertyHint: 'Limits what a loop or an agent can spend: every video costs credits',
				},
			},
			maxTriesOption,
			{
				displayName: 'Unique Key',
				name: 'uniqueKey',
				type: 'string',
				default: '',
				placeholder: `e.g. ${ID_OF_ROW}`,
				description:
					'Queue a video only once for each value, in all executions of this node. Enter a value that stays with the row, such as its ID. An item whose key was used fails.',
				builderHint: {
					propertyHint: 'Prevents a row from being paid for twice when the workflow runs again',
				},
			},
		),
	],
);

/** Queue > Add, which `execution/adds.ts` sends (specification, "POST /v1/queue/add"). */
export const add: Operation = {
	requestKind: 'add',
	routing: {
		request: { method: 'POST', url: '/v1/queue/add' },
		send: { paginate: true, preSend: [createPreSend(setBody)] },
	},
	texts: {
		fields: "'Project' and 'Custom Prompt'",
		notFound: {
			message: 'The video service does not know this project',
			description:
				"Check 'Project' of this item: choose it from the list, which shows the projects of the account. No video was queued for this item.",
		},
	},
	getIds: ({ body }) => ({ projectId: (body as { projectId?: string }).projectId }),
	getWait: (context) =>
		getSwitch(context, 'waitForCompletion', 'Wait for Completion')
			? getWaitSettings(context)
			: undefined,
};

/**
 * The body of the request: optional fields are absent when they are not set.
 *
 * @throws a NodeOperationError without a project, or with "Overwrite Settings" on and no prompt
 */
function setBody(context: IExecuteSingleFunctions, request: IHttpRequestOptions): void {
	const projectId = getProjectId(context, context.getNodeParameter('projectId', ''));
	request.body = projectId === '' ? {} : { projectId };
	const overwriteSettings = getSwitch(context, 'overwriteSettings', 'Overwrite Settings');
	const customPrompt = getText(context, 'customPrompt', 'Custom Prompt');
	const isEmpty = customPrompt.trim() === '';
	const notSpent = 'Nothing was queued for this item, and no credit was spent.';
	if (projectId === '') {
		throw createInputError(
			context,
			"'Project' is empty",
			`Choose a project from the list, or enter its ID. ${notSpent}`,
		);
	}
	if (overwriteSettings && isEmpty) {
		throw createInputError(
			context,
			"'Custom Prompt' is empty",
			`It is required when 'Overwrite Settings' is on: enter a prompt, or turn 'Overwrite Settings' off. ${notSpent}`,
		);
	}
	request.body = {
		projectId,
		...(overwriteSettings ? { overwriteSettings } : {}),
		...(isEmpty ? {} : { customPrompt }),
	};
}
