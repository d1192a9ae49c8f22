import type { IDataObject, INodeExecutionData, ITaskData, NodeApiError } from 'n8n-workflow';
import type { Play, PlayedAdd, PlayedAttempt, PlayedVideo } from './Scene';
import { ADD_NODE, formatProject, PROMPT_SEPARATOR, TOOL_NAME, WAIT_NODE } from './parameters';
import { unfoldError } from '../../support/engine/unfoldError';
import { isAgent } from './Story';
import { hasUsableOptions } from './storyValues';
import type { StoryExecution, StoryItem } from './Story';

/**
 * A video that an execution must pay for once: an item of a run of the node, or a call of an agent.
 */
export interface Order {
	execution: number;
	/** Index of the node's run, from 0. */
	run: number;
	/** Index of the item, or of the call. */
	item: number;
	/** Identical orders share a signature: their requests to the service cannot be told apart. */
	signature: string;
	/**
	 * False if the prompt is missing or not a prompt, or the switch is neither on nor off: then
	 * nothing may be sent.
	 */
	isComplete: boolean;
	isReachable: boolean;
}

/** Identical orders, with the adds and videos that the service has for them. */
export interface OrderGroup {
	orders: Order[];
	adds: PlayedAdd[];
	videos: PlayedVideo[];
}

/** An output item of a node. */
export interface Outcome {
	execution: number;
	node: string;
	run: number;
	/** Index of the output: 1 is the error output. */
	output: number;
	/** Index of the item whose order the output is linked to; undefined without a link. */
	item: number | undefined;
	json: IDataObject;
	hasFile: boolean;
	error: string | undefined;
	/** The data for a repair branch; an agent may receive the error alone. */
	details: IDataObject | undefined;
}

/** A text or number in the data of an execution, with its path. */
export interface DataText {
	path: string;
	text: string;
}

/** A play in the form that the invariants check. */
export interface Ledger extends Play {
	orders: Order[];
	/** The groups by signature; adds without an order have groups without orders. */
	groups: Map<string, OrderGroup>;
	outcomes: Outcome[];
	/** The texts of each execution's last attempt. */
	texts: DataText[][];
	/**
	 * The texts of each execution's attempts that a person or a workflow sees: output, and errors with
	 * their details. What only n8n's own fields hold, such as metadata, is not among them.
	 */
	shown: DataText[][][];
}

export function openLedger(play: Play): Ledger {
	const orders = play.story.executions.flatMap(listOrders);
	const groups = new Map<string, OrderGroup>();
	const find = (signature: string) => {
		const group = groups.get(signature) ?? { orders: [], adds: [], videos: [] };
		groups.set(signature, group);
		return group;
	};
	for (const order of orders) find(order.signature).orders.push(order);
	for (const add of play.adds) {
		const group = find(readSignature(add, play.keys));
		group.adds.push(add);
		const video = play.videos.find(({ charge }) => charge.queueId === add.charge?.queueId);
		if (video) group.videos.push(video);
	}
	return {
		...play,
		...{ orders, groups },
		outcomes: play.executions.flatMap((_, index) => listOutcomes(play, index)),
		texts: play.executions.map(({ run }) => collectTexts(run)),
		shown: play.executions.map(({ attempts }) => attempts.map(({ saved }) => listShown(saved))),
	};
}

function listOrders(execution: StoryExecution, index: number): Order[] {
	if (execution.operation === 'clear') return [];
	const { items, way, executeOnce, promptEnd } = execution;
	const runs = way === 'loop' ? [0, 1] : [0];
	return runs.flatMap((run) =>
		(executeOnce ? items.slice(0, 1) : items).map((item, itemIndex) => {
			// An agent's tool has one switch for all calls.
			const { overwriteSettings } = isAgent(execution) ? (items[0] ?? item) : item;
			const overwrites = isOn(overwriteSettings);
			const prompt = item.prompt === null ? '' : String(item.prompt);
			return {
				...{ execution: index, run, item: itemIndex },
				signature: formatSignature(item, prompt, overwrites === true),
				isComplete:
					listSettings(execution).some((settings) => hasUsableOptions(settings, item)) &&
					overwrites !== undefined &&
					!Array.isArray(item.prompt) &&
					(!overwrites || prompt !== '' || promptEnd !== ''),
				isReachable: item.address === 'service',
			};
		}),
	);
}

/** Lists an execution's settings in all its retries, as far as they concern its keys. */
function listSettings(execution: StoryExecution): StoryExecution[] {
	const { uniqueKey, retries } = execution;
	const changes = retries.flatMap(({ change }) => (change && uniqueKey !== null ? [change] : []));
	return [execution, ...changes.map((change) => ({ ...execution, uniqueKey: change.uniqueKey }))];
}

/**
 * Parses a switch as people write it in sheets and forms; undefined if it is neither on nor off.
 */
function isOn(value: unknown): boolean | undefined {
	if ([true, 1].includes(value as boolean) || /^true$/i.test(String(value))) return true;
	if ([false, 0, ''].includes(value as string) || /^false$/i.test(String(value))) return false;
	return undefined;
}

function formatSignature(item: StoryItem, prompt: string, overwrites: boolean): string {
	return JSON.stringify([item.account, formatProject(item), prompt, overwrites]);
}

function readSignature({ authorization, body }: PlayedAdd, keys: string[]): string {
	const { projectId, customPrompt, overwriteSettings } = body;
	const account = keys.findIndex((key) => authorization === `Bearer ${key}`);
	const prompt = typeof customPrompt === 'string' ? customPrompt.split(PROMPT_SEPARATOR)[0] : '';
	return JSON.stringify([account, projectId, prompt, overwriteSettings === true]);
}

function listOutcomes({ story, executions }: Play, execution: number): Outcome[] {
	const settings = story.executions[execution];
	const runData = executions[execution]?.run?.data.resultData.runData;
	if (!settings || !runData) return [];
	const read = (node: string, place: Placing) =>
		(runData[node] ?? []).flatMap((task, run) =>
			(task.data?.main ?? task.data?.ai_tool ?? []).flatMap((items, output) =>
				(items ?? []).flatMap((item) =>
					readJsons(item).map((json): Outcome => ({
						...{ execution, node, output, json, hasFile: item.binary?.data !== undefined },
						...place(task, run, readLink(item)),
						error: item.error?.message ?? readError(json),
						details: json.details as IDataObject | undefined,
					})),
				),
			),
		);
	// n8n runs the calls one after the other, and does not say which call a try of an older agent
	// belongs to.
	if (settings.way === 'agentSteps') return read(TOOL_NAME, (_, run) => ({ run: 0, item: run }));
	if (settings.way === 'agentCalls') return read(TOOL_NAME, (_, run) => ({ run, item: undefined }));
	const added = read(ADD_NODE, (_, run, item) => ({ run, item }));
	// The input of Queue > Wait is the first output of Queue > Add.
	const waited = read(WAIT_NODE, (task, _, item) => {
		const run = task.source[0]?.previousNodeRun ?? 0;
		const input = runData[ADD_NODE]?.[run]?.data?.main?.[0]?.[item ?? -1];
		return { run, item: input && readLink(input) };
	});
	return [...added, ...waited];
}

/** Finds the order of an item by its task, the index of the task's run, and the item's link. */
type Placing = (
	task: ITaskData,
	run: number,
	item: number | undefined,
) => Pick<Outcome, 'run' | 'item'>;

/** Lists the data of an output's items; the tool of an older agent returns all items in one. */
function readJsons({ json }: INodeExecutionData): IDataObject[] {
	const jsons = Array.isArray(json.response) ? (json.response as IDataObject[]) : [json];
	return jsons.map(unfoldError);
}

function readLink({ pairedItem }: INodeExecutionData): number | undefined {
	const first = Array.isArray(pairedItem) ? pairedItem[0] : pairedItem;
	return typeof first === 'object' ? first.item : first;
}

function readError({ error }: IDataObject): string | undefined {
	if (typeof error === 'string') return error === '' ? undefined : error;
	return typeof error === 'object' && error !== null ? JSON.stringify(error) : undefined;
}

function listShown({ resultData }: PlayedAttempt['saved']): DataText[] {
	const tasks = Object.values(resultData.runData).flat();
	const errors = [resultData.error, ...tasks.map(({ error }) => error)].map((error) => {
		const { message, description, context } = (error ?? {}) as Partial<NodeApiError>;
		return { message, description, details: context?.details };
	});
	return collectTexts({ output: tasks.map(({ data }) => data), errors });
}

/** Collects every text of an execution's data as n8n saves it, including the stacks of errors. */
function collectTexts(data: unknown): DataText[] {
	const texts: DataText[] = [];
	const seen = new Set<unknown>();
	const visit = (value: unknown, path: string) => {
		if (typeof value === 'string' || typeof value === 'number') {
			texts.push({ path, text: String(value) });
		}
		if (typeof value !== 'object' || value === null || seen.has(value)) return;
		seen.add(value);
		const names = new Set(Object.keys(value));
		if (value instanceof Error) for (const name of ['message', 'stack']) names.add(name);
		for (const name of names) visit((value as Record<string, unknown>)[name], `${path}.${name}`);
	};
	visit(data, 'run');
	return texts;
}
