import type {
	IDataObject,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { checkBody, createIncomplete, requireField, toText } from '../../api/response';
import { OBJECT_LIMITS, receiveBody } from '../../api/responseBody';
import type { Operation } from '../../execution/operation';
import { createInputError, getProjectId, getSwitch, getText } from '../../execution/parameters';
import { getStatus } from '../../waiting/status';
import { createOptionsField, maxTriesOption, projectLocator } from '../fields';
import { createAccountRequests, findAccountVideos, finishQueueItem } from './finishQueueItem';
import type { WaitSettings } from './waitOptions';
import { finishedVideoFields, getWaitSettings, waitOptions } from './waitOptions';

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
				'Whether to wait until the video is finished and return it with its URL. All items wait at the same time.',
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
				description: 'How many credits a video of this project costs. Used by "Credits to Keep".',
			},
			{
				displayName: 'Credits to Keep',
				name: 'creditsToKeep',
				type: 'number',
				typeOptions: { minValue: 0 },
				default: 0,
				description:
					"How many credits to keep in the account. Videos that would leave fewer are not queued. If a video costs more than 1 credit, also set 'Credits per Video'. The account is read once before the first video, which is free.",
				builderHint: {
					propertyHint: 'Limits what a loop or an agent can spend: every video costs credits',
				},
			},
			maxTriesOption,
		),
	],
);

/** Undefined when the video is not waited for. */
type Settings = WaitSettings | undefined;

/** Queue > Add (specification, "POST /v1/queue/add"). */
export const add: Operation<Settings> = {
	requestKind: 'add',
	routing: {
		request: { method: 'POST', url: '/v1/queue/add' },
		send: { paginate: true, preSend: [setBody] },
		output: { postReceive: [getQueueItem] },
	},
	texts: {
		fields: '"Project" and "Custom Prompt"',
		notFound: {
			message: 'The video service does not know this project',
			description:
				'Check "Project" of this item: choose it from the list, which shows the projects of the account. No video was queued for this item.',
		},
	},
	getIds: ({ body }) => {
		const { projectId } = body as { projectId?: string };
		return projectId === undefined ? {} : { projectId };
	},
	getSettings: (context) =>
		getSwitch(context, 'waitForCompletion', 'Wait for Completion')
			? getWaitSettings(context)
			: undefined,

	/** The log is read before the first add: the videos in it are of no item that is added then. */
	async perform(job, send) {
		const { settings, order } = job;
		if (settings === undefined) return await send();
		const account = await findAccountVideos(job);
		await account.readBeforeAdd(createAccountRequests(job));
		const runningAt = account.tick();
		const output = await send();
		if (order) order.runningAt = runningAt;
		return output;
	},

	async complete(job, order, queueItem) {
		const { settings } = job;
		const { queueId, runningAt } = order;
		if (settings === undefined || queueId === undefined) return [{ json: queueItem }];
		const { projectId } = job.request.body as { projectId: string };
		const account = await findAccountVideos(job);
		const item = account.track({
			queueId,
			projectId: toText(queueItem.projectId) || projectId,
			...(runningAt === undefined ? {} : { runningAt }),
		});
		return await finishQueueItem(job, settings, order, {
			...{ account, item, queueId },
			details: getDetails(queueItem),
			onDetails: (details) => {
				order.lastStatus = getStatus(details);
			},
		});
	},
};

/**
 * The body of the request: optional fields are absent when they are not set.
 *
 * @throws a NodeOperationError without a project, or with "Overwrite Settings" on and no prompt
 */
async function setBody(
	this: IExecuteSingleFunctions,
	request: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	const projectId = getProjectId(this);
	request.body = projectId === '' ? {} : { projectId };
	const overwriteSettings = getSwitch(this, 'overwriteSettings', 'Overwrite Settings');
	const customPrompt = getText(this, 'customPrompt', 'Custom Prompt');
	const isEmpty = customPrompt.trim() === '';
	const notSpent = 'Nothing was queued for this item, and no credit was spent.';
	if (projectId === '') {
		throw createInputError(
			this,
			'"Project" is empty',
			`Choose a project from the list, or enter its ID. ${notSpent}`,
		);
	}
	if (overwriteSettings && isEmpty) {
		throw createInputError(
			this,
			'"Custom Prompt" is empty',
			`It is required when "Overwrite Settings" is on: enter a prompt, or turn "Overwrite Settings" off. ${notSpent}`,
		);
	}
	request.body = {
		projectId,
		...(overwriteSettings ? { overwriteSettings } : {}),
		...(isEmpty ? {} : { customPrompt }),
	};
	return await Promise.resolve(request);
}

/**
 * The new queue item. A queue ID is proof that the add was accepted, whatever else the response says.
 *
 * @throws a RequestFailure without one
 */
async function getQueueItem(
	this: IExecuteSingleFunctions,
	_items: INodeExecutionData[],
	response: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
	const body = await receiveBody(response, OBJECT_LIMITS);
	const accepted = findQueueItem(body);
	if (accepted) return [{ json: putFirst(accepted) }];
	requireField(checkBody(response, body), 'newQueueItem', 'object');
	throw createIncomplete('newQueueItem.queueId');
}

function findQueueItem(body: unknown): IDataObject | undefined {
	if (typeof body !== 'object' || body === null) return undefined;
	const { newQueueItem } = body as { newQueueItem?: IDataObject | null };
	const queueId = toText(newQueueItem?.queueId);
	return queueId === '' ? undefined : { ...newQueueItem, queueId };
}

/** The fields that people use come first. */
function putFirst(queueItem: IDataObject): IDataObject {
	const { queueId, projectId, status, videoUrl } = queueItem;
	return { ...{ queueId, projectId, status, videoUrl }, ...queueItem };
}

/** A queue item's progress, as the response to its add tells it. */
function getDetails({ status, generationProgress, renderProgress }: IDataObject): IDataObject {
	return { status: status ?? 'pending', generationProgress, renderProgress };
}
