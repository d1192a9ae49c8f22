import type { IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';
import { makeVideos } from '../adds/makeVideo';
import type { VideoOrder } from '../adds/sendAdd';
import { ENDPOINTS } from '../api/endpoints';
import type { Operation } from '../item/job';
import {
	CHECK_EXPRESSION,
	createInputError,
	getCollection,
	getId,
	getSwitch,
	type Range,
	requireGiven,
	requireNumber,
} from '../item/parameters';
import { isAgentStep } from '../n8n/calls';
import { Records } from '../n8n/records';
import { projectLocator } from './fields';
import { getPaidText, NOT_SPENT } from './paidText';

/** The fields of Queue > Add and Video > Generate that describe the video. */
export const orderFields: INodeProperties[] = [
	{
		...projectLocator,
		required: true,
		description:
			'The project to make the video from. Each video costs credits, usually 1, and takes minutes.',
	},
	{
		displayName: 'Custom Prompt',
		name: 'customPrompt',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		placeholder: 'e.g. A sunrise over the sea, calm music',
		description: "What the video shows. Leave it empty to use the project's own prompt.",
	},
	{
		displayName: 'Overwrite Settings',
		name: 'overwriteSettings',
		type: 'boolean',
		default: false,
		description:
			"Whether this video overrides the saved settings of the project. If on, 'Custom Prompt' is required.",
	},
];

export const orderOptions: INodeProperties[] = [
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
	},
	{
		displayName: 'Max Videos',
		name: 'maxVideos',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 1,
		description:
			"How many videos this node may queue in one execution, also in a loop or for an agent. Further ones fail before they are sent. Calls by MCP clients and n8n's Agents are counted together for an hour. In a sub-workflow, each of its executions counts for itself.",
	},
	{
		displayName: 'Unique Key',
		name: 'uniqueKey',
		type: 'string',
		default: '',
		// No plain quotes: the rule for texts would write "ID".
		placeholder: `e.g. {{ $json.id }}`,
		description:
			'Queue a video only once for each value, in all executions of this node. Enter a value that stays with the row, such as its ID. An item whose video was returned before is left out. If it was queued and not returned, the item fails.',
	},
];

/** The common part of both operations (specification, "POST /v1/queue/add"). */
export const ofOrder = {
	request: ENDPOINTS.addToQueue,
	costsCredits: true,
	texts: {
		fields: "'Project' and 'Custom Prompt'",
		notFound: {
			message: 'The video service does not know this project',
			description:
				"Check 'Project' of this item: choose it from the list, which shows the projects of the account.",
		},
	},
	getIds: ({ body: { projectId } }) => (projectId === undefined ? {} : { projectId }),
	performAll: makeVideos,
} satisfies Partial<Operation<VideoOrder>>;

/** The order of an item; empty for a video that an earlier try has paid for. @throws a NodeOperationError */
export function getOrder(context: IExecuteSingleFunctions, isPaid: boolean): VideoOrder {
	if (isPaid) return { body: {} };
	// n8n then hands the agent's model an empty answer, whatever its tool returns: it would order the video again.
	if (isAgentStep(context) && context.getWorkflowSettings().executionOrder !== 'v1') {
		throw createInputError(
			context,
			"This agent's workflow runs in the old execution order, in which agents get no answer from their tools",
			`In the workflow's settings, set 'Execution Order' to 'v1 (recommended)', and run it again. ${NOT_SPENT}`,
		);
	}
	const body = getBody(context);
	const options = getCollection(context, 'options');
	// An option that is there without a value fails: a misspelt column must not turn it off.
	const getNumber = (name: string, label: string, range: Range) =>
		name in options ? requireNumber(context, options[name], label, range) : undefined;
	const creditsToKeep = getNumber('creditsToKeep', 'Credits to Keep', { min: 0 });
	const cost = getNumber('creditsPerVideo', 'Credits per Video', { min: 0, isAbove: true }) ?? 1;
	return {
		body,
		spending: creditsToKeep === undefined ? undefined : { creditsToKeep, cost },
		maxVideos: getNumber('maxVideos', 'Max Videos', { min: 0, isAbove: true, isWhole: true }),
		uniqueKey: 'uniqueKey' in options ? getUniqueKey(context) : undefined,
	};
}

/** The body of the request: optional fields are absent when they are not set. */
function getBody(context: IExecuteSingleFunctions): VideoOrder['body'] {
	const located = getId(context, 'projectId', 'Project');
	const overwriteSettings = getSwitch(context, 'overwriteSettings', 'Overwrite Settings');
	const getAdvice = (path?: string) =>
		path &&
		`If it has no value on purpose, write {{ ${path} ?? '' }}: an empty prompt means the project's own.`;
	const customPrompt = getPaidText(context, 'customPrompt', 'Custom Prompt', getAdvice);
	const isEmpty = customPrompt.trim() === '';
	const chooseProject = `Choose a project from the list, or enter its ID. ${NOT_SPENT}`;
	const projectId = requireGiven(context, located, 'Project', chooseProject);
	const enterPrompt = `It is required when 'Overwrite Settings' is on: enter a prompt, or turn 'Overwrite Settings' off. ${NOT_SPENT}`;
	if (overwriteSettings) requireGiven(context, customPrompt.trim(), 'Custom Prompt', enterPrompt);
	return {
		projectId,
		...(overwriteSettings && { overwriteSettings }),
		...(!isEmpty && { customPrompt }),
	};
}

function getUniqueKey(context: IExecuteSingleFunctions): string {
	const whatToDo =
		"Enter a value that stays with the row, such as its ID, or remove 'Unique Key' under 'Options'.";
	const key = getPaidText(context, 'options.uniqueKey', 'Unique Key', () => whatToDo, true).trim();
	const enterKey = `${whatToDo} ${CHECK_EXPRESSION} Nothing was sent.`;
	requireGiven(context, key, 'Unique Key', enterKey);
	if (Records.areKept(context)) return key;
	throw createInputError(
		context,
		"'Unique Key' cannot be used here",
		"n8n keeps the keys with a saved workflow, and of tools only for those of the AI Agent node from version 3 on. Save the workflow, use that agent, or remove 'Unique Key' under 'Options'. Nothing was sent.",
	);
}
