import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { isAgent } from './Story';
import type { KeyExpression, StoryExecution, StoryItem, StoryRetry } from './Story';

/*
 * The settings of a story's nodes and credentials, the same in n8n's engine and in a real n8n.
 */

export const ADD_NODE = 'Add';
export const WAIT_NODE = 'Wait';
export const TOOL_NAME = 'Video Tool';

/** The value of an item that its expression turns into NaN. */
export const NOT_A_NUMBER = 'not a number';

/** Separates an item's own prompt from the part that the expression adds. */
export const PROMPT_SEPARATOR = ' / ';

/** An address at which nothing listens. */
const CLOSED_PORT = 'http://127.0.0.1:1';

/** The service: its addresses, the keys of its two accounts, and the queue items to clear. */
export interface ServiceAddress {
	url: string;
	tlsUrl: string;
	keys: [string, string];
	/** For each item of the execution. */
	toClear: string[];
}

/** Returns the Base URL of an item. */
export function getBaseUrl(
	{ address }: StoryItem,
	{ protocol }: StoryExecution,
	{ url, tlsUrl }: ServiceAddress,
): string {
	switch (address) {
		case 'service':
			return protocol === 'https' ? tlsUrl : url;
		case 'closedPort':
			return CLOSED_PORT;
		case 'untrusted':
			return tlsUrl;
		case 'plainText':
			return url.replace('http:', 'https:');
	}
}

export function formatProject({
	account,
	project,
}: Pick<StoryItem, 'account' | 'project'>): string {
	return `project-${account}-${project}`;
}

/** Creates the data of the input items of the node. */
export function createItemJsons(
	execution: StoryExecution,
	{ toClear }: Pick<ServiceAddress, 'toClear'>,
): IDataObject[] {
	return execution.items.map((item, index) => ({
		...createItemJson(item),
		...(toClear[index] !== undefined && { queueId: toClear[index] }),
	}));
}

function createItemJson(item: StoryItem): IDataObject {
	return {
		...{ account: item.account, address: item.address, project: formatProject(item) },
		...(item.prompt !== null && { prompt: item.prompt }),
		...Object.fromEntries(
			(['key', 'keep', 'cost'] as const).flatMap((name) =>
				item[name] === null ? [] : [[name, item[name]]],
			),
		),
		overwriteSettings: item.overwriteSettings,
	};
}

/** Changes the workflow of an execution, which a person edits before a retry. */
export function changeWorkflow(
	execution: StoryExecution,
	change: NonNullable<StoryRetry['change']>,
): StoryExecution {
	const canHaveEnd = execution.items.every(
		({ prompt }) => prompt !== null && !Array.isArray(prompt),
	);
	const promptEnd = canHaveEnd ? change.promptEnd : execution.promptEnd;
	return { ...execution, ...change, promptEnd, uniqueKey: execution.uniqueKey && change.uniqueKey };
}

/** Creates the settings that n8n gives every node. */
export function createSettings(execution: StoryExecution): Partial<INode> {
	const { onError, tries, executeOnce } = execution;
	return {
		// A tool has no error output: n8n's default there is to continue and to tell the agent.
		...(!(isAgent(execution) && onError === 'continueErrorOutput') && { onError }),
		...(tries > 1 && { retryOnFail: true, maxTries: tries }),
		...(executeOnce && { executeOnce: true }),
	};
}

/** Creates the parameters of the first node: Queue > Add, or Queue > Clear. */
export function createParameters(execution: StoryExecution): INodeParameters {
	return execution.operation === 'clear'
		? {
				...{ resource: 'queue', operation: 'clear', queueId: '={{ $json.queueId }}' },
				...createCommonParameters(execution),
			}
		: createAddParameters(execution);
}

function createAddParameters(execution: StoryExecution): INodeParameters {
	const isTool = isAgent(execution);
	const ask = (name: string) =>
		isTool ? `$fromAI('${name}', 'the ${name}', 'string')` : `$json.${name}`;
	const end = { '': '', $now: '{{ $now.toISO() }}', 'Math.random()': '{{ Math.random() }}' };
	// With a unique key, the prompt ends with it, so that the service's record tells it.
	const promptEnd =
		execution.uniqueKey === null
			? end[execution.promptEnd]
			: KEYS[execution.uniqueKey].replace('=', '');
	return {
		...{ resource: 'queue', operation: 'add' },
		projectId: { __rl: true, mode: 'id', value: `={{ ${ask('project')} }}` },
		customPrompt:
			promptEnd === ''
				? `={{ ${ask('prompt')} }}`
				: `={{ ${ask('prompt')} }}${PROMPT_SEPARATOR}${promptEnd}`,
		overwriteSettings: isTool
			? formatSwitch(execution.items[0]?.overwriteSettings ?? false)
			: '={{ $json.overwriteSettings }}',
		waitForCompletion: execution.waiting === 'add' && formatSwitch(execution.waitSwitch),
		...(execution.waiting === 'add' && {
			waitOptions: execution.waitOptions,
			downloadVideo: execution.downloadVideo,
		}),
		...createCommonParameters(execution, createAddOptions(execution)),
	};
}

const KEYS: Record<KeyExpression, string> = {
	'$json.key': '={{ $json.key }}',
	'$json.key-b': '={{ $json.key }}-b',
	'Math.random()': '={{ Math.random() }}',
};

function createAddOptions(execution: StoryExecution): INodeParameters {
	const { uniqueKey, creditsToKeep, creditsPerVideo } = execution;
	const number = (name: string) =>
		`={{ $json.${name} === '${NOT_A_NUMBER}' ? 0 / 0 : $json.${name} }}`;
	return {
		...(uniqueKey !== null && { uniqueKey: KEYS[uniqueKey] }),
		...(creditsToKeep !== null && {
			creditsToKeep: creditsToKeep === '$json.keep' ? number('keep') : creditsToKeep,
		}),
		...(creditsPerVideo !== null && { creditsPerVideo: number('cost') }),
	};
}

/** Formats the value of a switch; any value but a boolean needs an expression. */
function formatSwitch(value: boolean | string | number): boolean | string {
	return typeof value === 'boolean' ? value : `={{ ${JSON.stringify(value)} }}`;
}

/** Creates the parameters of a Queue > Wait that follows Queue > Add. */
export function createWaitParameters(execution: StoryExecution): INodeParameters {
	const value = execution.waitKnowsProject ? '={{ $json.projectId }}' : '';
	return {
		...{ resource: 'queue', operation: 'wait', queueId: '={{ $json.queueId }}' },
		projectId: { __rl: true, mode: 'id', value },
		waitOptions: execution.waitOptions,
		downloadVideo: execution.downloadVideo,
		...createCommonParameters(execution),
	};
}

function createCommonParameters(
	execution: StoryExecution,
	addOptions: INodeParameters = {},
): INodeParameters {
	const { batchSize, batchIntervalMs: batchInterval, maxTries, requestTimeout } = execution;
	const requestOptions = {
		...(batchSize !== 0 && { batching: { batch: { batchSize, batchInterval } } }),
		...(requestTimeout !== null && { timeout: requestTimeout }),
		...(execution.protocol === 'https' && { allowUnauthorizedCerts: true }),
	};
	const options = {
		...(maxTries !== null && { maxTries }),
		...addOptions,
	};
	return {
		...(Object.keys(requestOptions).length > 0 && { requestOptions }),
		...(Object.keys(options).length > 0 && { options }),
	};
}

/**
 * Creates the credential's fields as entered. If the items have different accounts, an expression
 * selects the key of each item.
 */
export function createCredential(execution: StoryExecution, service: ServiceAddress) {
	const { items } = execution;
	const { keys } = service;
	const [first] = items;
	if (!first) throw new Error('The execution has no items');
	const firstUrl = getBaseUrl(first, execution, service);
	if (isAgent(execution)) return { baseUrl: firstUrl, apiKey: keys[first.account] };
	const input = "$('Input').item.json";
	const isMixed = items.some(({ account }) => account !== first.account);
	const urls = Object.fromEntries(
		items.map((item) => [item.address, getBaseUrl(item, execution, service)]),
	);
	return {
		baseUrl:
			Object.keys(urls).length > 1
				? `={{ (${JSON.stringify(urls)})[${input}.address] }}`
				: firstUrl,
		apiKey: isMixed
			? `={{ ${input}.account === 1 ? '${keys[1]}' : '${keys[0]}' }}`
			: keys[first.account],
	};
}
