import type { IDataObject, INodeExecutionData, ITaskData } from 'n8n-workflow';
import type { RecordedRequest } from '../../../sandbox/control/requestLog';
import type { Play, PlayedAdd, PlayedVideo } from './Scene';
import { ADD_NODE, formatProject, PROMPT_SEPARATOR, TOOL_NAME, WAIT_NODE } from './parameters';
import { unfoldError } from '../../support/engine/unfoldError';
import { isAgent } from './Story';
import type { StoryExecution, StoryItem } from './Story';

/** One video that an execution is meant to pay for once: an item of a run of the node, or a call of an agent. */
export interface Order {
	execution: number;
	/** Which run of the node, from 0. */
	run: number;
	/** Index of the item, or of the call. */
	item: number;
	/** Identical orders have the same, and cannot be told apart by what reaches the service. */
	signature: string;
	/** False when its prompt is missing or none, or its switch is neither on nor off: nothing may be sent for it. */
	isComplete: boolean;
	isReachable: boolean;
}

/** All orders that look alike, and what reached the service for them. */
export interface OrderGroup {
	orders: Order[];
	adds: PlayedAdd[];
	videos: PlayedVideo[];
}

/** One item that came out of a node. */
export interface Outcome {
	execution: number;
	node: string;
	run: number;
	/** 0, or 1 for the error output. */
	output: number;
	/** The order that it is linked to; undefined when it is linked to none. */
	item: number | undefined;
	json: IDataObject;
	/** Whether it carries a file. */
	hasFile: boolean;
	/** Its error, when it has failed. */
	error: string | undefined;
	/** What a repair branch is told; an agent may be told the error alone. */
	details: IDataObject | undefined;
}

/** One text in an execution's data, and where it stands. */
export interface DataText {
	path: string;
	text: string;
}

/** A play in the terms of its judges. */
export interface Ledger extends Play {
	orders: Order[];
	/** By signature; adds that nobody ordered have groups without orders. */
	groups: Map<string, OrderGroup>;
	outcomes: Outcome[];
	/** Of each execution. */
	texts: DataText[][];
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
		const group = find(readSignature(add.request, play.keys));
		group.adds.push(add);
		const video = play.videos.find(({ charge }) => charge.queueId === add.charge?.queueId);
		if (video) group.videos.push(video);
	}
	return {
		...play,
		...{ orders, groups },
		outcomes: play.executions.flatMap((_, index) => listOutcomes(play, index)),
		texts: play.executions.map(({ run }) => collectTexts(run)),
	};
}

function listOrders(execution: StoryExecution, index: number): Order[] {
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
					overwrites !== undefined &&
					!Array.isArray(item.prompt) &&
					(!overwrites || prompt !== '' || promptEnd !== ''),
				isReachable: !item.unreachable,
			};
		}),
	);
}

/** As people write it in sheets and forms; undefined for what is neither on nor off. */
function isOn(value: unknown): boolean | undefined {
	if ([true, 1].includes(value as boolean) || /^true$/i.test(String(value))) return true;
	if ([false, 0, ''].includes(value as string) || /^false$/i.test(String(value))) return false;
	return undefined;
}

function formatSignature(item: StoryItem, prompt: string, overwrites: boolean): string {
	return JSON.stringify([item.account, formatProject(item), prompt, overwrites]);
}

function readSignature({ headers, body }: RecordedRequest, keys: string[]): string {
	const { projectId, customPrompt, overwriteSettings } = body as IDataObject;
	const account = keys.findIndex((key) => headers.authorization === `Bearer ${key}`);
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
	// n8n runs the calls one after the other, and does not tell which call an older agent's try belongs to.
	if (settings.way === 'agentSteps') return read(TOOL_NAME, (_, run) => ({ run: 0, item: run }));
	if (settings.way === 'agentCalls') return read(TOOL_NAME, (_, run) => ({ run, item: undefined }));
	const added = read(ADD_NODE, (_, run, item) => ({ run, item }));
	// What goes into Queue > Wait is the first output of Queue > Add.
	const waited = read(WAIT_NODE, (task, _, item) => {
		const run = task.source[0]?.previousNodeRun ?? 0;
		const input = runData[ADD_NODE]?.[run]?.data?.main?.[0]?.[item ?? -1];
		return { run, item: input && readLink(input) };
	});
	return [...added, ...waited];
}

/** Which order an item belongs to, by its task, the task's run and the link of the item. */
type Placing = (
	task: ITaskData,
	run: number,
	item: number | undefined,
) => Pick<Outcome, 'run' | 'item'>;

/** An older agent's tool has its items in one. */
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

/** Every text of an execution's data as n8n saves it, the stacks of errors as well. */
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
