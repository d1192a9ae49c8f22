import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { isAgent } from './Story';
import type { StoryExecution, StoryItem } from './Story';

/*
 * The settings of a story's nodes and credentials, the same in n8n's engine and in a real n8n.
 */

export const ADD_NODE = 'Add';
export const WAIT_NODE = 'Wait';
export const TOOL_NAME = 'Video Tool';

/** Separates an item's own prompt from the part that the expression adds. */
export const PROMPT_SEPARATOR = ' / ';

/** An address at which nothing listens. */
const CLOSED_PORT = 'http://127.0.0.1:1';

/** The address of the service, and the keys of its two accounts. */
export interface ServiceAddress {
	url: string;
	keys: [string, string];
}

export function formatProject({ account, project }: StoryItem): string {
	return `project-${account}-${project}`;
}

/** Creates the data of an input item of the node. */
export function createItemJson(item: StoryItem): IDataObject {
	return {
		...{ account: item.account, unreachable: item.unreachable, project: formatProject(item) },
		...(item.prompt !== null && { prompt: item.prompt }),
		overwriteSettings: item.overwriteSettings,
	};
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

export function createAddParameters(execution: StoryExecution): INodeParameters {
	const isTool = isAgent(execution);
	const ask = (name: string) =>
		isTool ? `$fromAI('${name}', 'the ${name}', 'string')` : `$json.${name}`;
	const end = { '': '', $now: '{{ $now.toISO() }}', 'Math.random()': '{{ Math.random() }}' };
	const promptEnd = end[execution.promptEnd];
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
		...createCommonParameters(execution, execution.creditsToKeep),
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
		...createCommonParameters(execution, null),
	};
}

function createCommonParameters(
	execution: StoryExecution,
	creditsToKeep: number | null,
): INodeParameters {
	const { batchSize, batchIntervalMs: batchInterval, maxTries, requestTimeout } = execution;
	const requestOptions = {
		...(batchSize !== 0 && { batching: { batch: { batchSize, batchInterval } } }),
		...(requestTimeout !== null && { timeout: requestTimeout }),
	};
	const options = {
		...(maxTries !== null && { maxTries }),
		...(creditsToKeep !== null && { creditsToKeep }),
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
export function createCredential(execution: StoryExecution, { url, keys }: ServiceAddress) {
	const { items } = execution;
	if (isAgent(execution)) {
		return {
			baseUrl: items[0]?.unreachable ? CLOSED_PORT : url,
			apiKey: keys[items[0]?.account ?? 0],
		};
	}
	const input = "$('Input').item.json";
	const isMixed = items.some(({ account }) => account !== items[0]?.account);
	return {
		baseUrl: items.some(({ unreachable }) => unreachable)
			? `={{ ${input}.unreachable ? '${CLOSED_PORT}' : '${url}' }}`
			: url,
		apiKey: isMixed
			? `={{ ${input}.account === 1 ? '${keys[1]}' : '${keys[0]}' }}`
			: keys[items[0]?.account ?? 0],
	};
}
