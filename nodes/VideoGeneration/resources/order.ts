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
	requireText,
} from '../item/parameters';
import { isAgentStep } from '../n8n/calls';
import { Entries } from '../n8n/entries';
import { fileNameOption, projectLocator } from './fields';
import { getWaitSettings, waitFields } from './waitOptions';

const NOT_SPENT = 'Nothing was queued for this item, and no credit was spent.';

/** The fields of Queue > Add and Video > Generate that describe the video. */
const orderFields: INodeProperties[] = [
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
			"Whether to override the settings that are saved in the project, for this video alone. 'Custom Prompt' works without it, and is required with it.",
	},
];

const orderOptions: INodeProperties[] = [
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
			'Queue a video only once for each value, in all executions of this node. Enter a value that stays with the row, such as its ID. An item whose video came out before is left out. If it was queued and did not come out, the item fails.',
	},
];

/** The common part of both operations (specification, "POST /v1/queue/add"). */
const order = {
	request: ENDPOINTS.addToQueue,
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

/** Queue > Add: the request alone, whose queue item comes out at once. */
export const add: Operation<VideoOrder> = {
	...order,
	name: 'Add',
	action: 'Queue video without waiting (costs credits)',
	description: 'Queue a video without waiting for it, which costs credits',
	fields: orderFields,
	options: orderOptions,
	prepare: getOrder,
};

/** Video > Generate: queues a video, waits for it and downloads it. */
export const generate: Operation<VideoOrder> = {
	...order,
	name: 'Generate',
	action: 'Generate video (costs credits)',
	description: 'Generate a video from a project and return its file',
	fields: [...orderFields, ...waitFields],
	options: [...orderOptions, fileNameOption],
	prepare: (context, isPaid) => ({
		...getOrder(context, isPaid),
		wait: getWaitSettings(context),
	}),
};

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
	const keep = getNumber('creditsToKeep', 'Credits to Keep', { min: 0 });
	const cost = getNumber('creditsPerVideo', 'Credits per Video', { min: 0, isAbove: true }) ?? 1;
	return {
		body,
		spending: keep === undefined ? undefined : { keep, cost },
		maxVideos: getNumber('maxVideos', 'Max Videos', { min: 0, isAbove: true, isWhole: true }),
		uniqueKey: 'uniqueKey' in options ? getUniqueKey(context) : undefined,
	};
}

/** The body of the request: optional fields are absent when they are not set. */
function getBody(context: IExecuteSingleFunctions): VideoOrder['body'] {
	const located = getId(context, 'projectId', 'Project');
	const overwriteSettings = getSwitch(context, 'overwriteSettings', 'Overwrite Settings');
	const getAdvice = (code: string) =>
		`If it may have no value, write {{ ${code} ?? '' }}: an empty prompt means the project's own.`;
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
	const key = getPaidText(context, 'options.uniqueKey', 'Unique Key', () => whatToDo).trim();
	const enterKey = `${whatToDo} ${CHECK_EXPRESSION} Nothing was sent.`;
	requireGiven(context, key, 'Unique Key', enterKey);
	if (Entries.areKept(context)) return key;
	throw createInputError(
		context,
		"'Unique Key' cannot be used here",
		"n8n keeps the keys with a saved workflow, and of tools only for those of the AI Agent node from version 3 on. Save the workflow, use that agent, or remove 'Unique Key' under 'Options'. Nothing was sent.",
	);
}

/** Text that n8n replaces in an expression. */
const TYPED_EXPRESSION = /\{\{\s*\$(?:json|node|\()/;

/**
 * A text that decides what is paid for. n8n leaves out a field that an item lacks, so a misspelt column would go unnoticed.
 *
 * @param getAdvice what to do about an expression that may have no value
 */
function getPaidText(
	context: IExecuteSingleFunctions,
	name: string,
	label: string,
	getAdvice: (code: string) => string,
): string {
	const refuse = (problem: string, whatToDo: string) =>
		createInputError(context, problem, `${whatToDo} ${NOT_SPENT}`);
	const value: unknown = context.getNodeParameter(name, '');
	const missing = findMissing(context, name, value);
	if (missing !== undefined) {
		const { field, code } = missing;
		const problem =
			field === undefined
				? `An expression in '${label}' has no value`
				: `'${label}' names the field '${field}', which this item does not have`;
		throw refuse(problem, `Check {{ ${code} }}. ${getAdvice(code)}`);
	}
	const text = requireText(context, value, label);
	if (TYPED_EXPRESSION.test(text)) {
		throw refuse(
			`'${label}' contains an expression that was typed as text`,
			`Point to '${label}', and select 'Expression' above the field, so that n8n fills in its value.`,
		);
	}
	if (text.includes('[object Object]')) {
		throw refuse(
			`'${label}' contains an object instead of text`,
			'n8n writes an object as [object Object]. In the expression, name the field of the object that holds the text.',
		);
	}
	return text;
}

/** A field of the item: `$json.topic`, `$json["topic"]`, or either with a question mark. */
const FIELD =
	/\$json(?:\??\.([\p{L}_$][\p{L}\p{N}_$]*)|(?:\?\.)?\[\s{0,9}(["'`])(.{1,200}?)\2\s{0,9}\])/gu;

/** The first part of an expression that has no value, and the field that the item lacks, if that is why. */
function findMissing(
	context: IExecuteSingleFunctions,
	name: string,
	value: unknown,
): { field?: string; code: string } | undefined {
	const raw: unknown = context.getNodeParameter(name, '', { rawExpressions: true });
	if (typeof raw !== 'string' || !raw.startsWith('=')) return undefined;
	const { json } = context.getInputData();
	for (const rest of raw.split('{{').slice(1)) {
		const [code = ''] = rest.split('}}');
		const missing = [...code.matchAll(FIELD)]
			.map(([reference, plain, , quoted = '']) => ({ field: plain ?? quoted, code: reference }))
			.find(({ field }) => json[field] === undefined);
		const part = `{{${code}}}`;
		const found =
			raw === `=${part}` ? value : context.evaluateExpression(part, context.getItemIndex());
		// JavaScript joins a missing value to a text as "undefined".
		const isJoined =
			missing !== undefined && !code.includes('undefined') && String(found).includes('undefined');
		if (found === undefined || isJoined) return missing ?? { code: code.trim() };
	}
	return undefined;
}
