import type { IDataObject, IExecuteSingleFunctions, ITaskMetadata } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { untilAborted } from '../api/pacing';
import { hashText, isObject } from '../api/response';
import { type FailureFacts, RequestFailure, type Unidentified } from '../failures/failure';

/** The name of our data in those of the execution. */
const KEY = 'videoGeneration';

/**
 * An item's progress, kept across retries: n8n hands it to every try of Retry On Fail, saves it with a failed
 * execution, and hands it to Executions > Retry. It is JSON, small, and holds no prompt, no key and no
 * error's text.
 */
export interface ItemState {
	/**
	 * - `new`: nothing was sent, or it was surely refused
	 * - `unknown`: an add was sent, and there is no proof of what became of it
	 * - `queued`: the queue item exists, so its video is paid for
	 * - `finished`: its video is known, or known to be one that cannot be identified
	 */
	stage: 'new' | 'unknown' | 'queued' | 'finished';
	/** Why the fate of an add is unknown. */
	failure?: FailureFacts | undefined;
	queueId?: string;
	projectId?: string | undefined;
	createdAt?: string | undefined;
	/** The last known progress. */
	details?: IDataObject | undefined;
	/** The finished item. */
	finished?: IDataObject | undefined;
	/** Why the finished item has no video. */
	unidentified?: Unidentified | undefined;
	/** Why an item that left the queue without a video has failed. */
	gone?: FailureFacts | undefined;
	/** The hash of the unique key that the item has taken. */
	key?: number | undefined;
}

/** By resource and operation, since a node may be set to another one before a retry, and back. In the order of the items. */
type NodeStates = Record<string, (ItemState | null)[]>;

/**
 * The ledger of one item, through all tries of Retry On Fail, Executions > Retry, and their own tries.
 *
 * A node that n8n runs knows an item by its index, not by its order: a prompt with `$now` is the same item.
 * An agent's calls have no index, so one whose fate is unknown is known by its order.
 */
export class Ledger {
	state: ItemState;

	/** Known once: n8n copies the whole node whenever it is asked for it. */
	private readonly isRunByN8n: boolean;

	private order: AgentOrder | undefined;

	constructor(private readonly context: IExecuteSingleFunctions) {
		this.isRunByN8n = isRunByN8n(context);
		const states = this.isRunByN8n ? getNodeStates(context) : undefined;
		this.state = states?.[getOperationName(context)]?.[context.getItemIndex()] ?? { stage: 'new' };
	}

	/** Whether the video is paid for, as far as is known. */
	get isPaid(): boolean {
		return this.state.stage === 'queued' || this.state.stage === 'finished';
	}

	/** Notes the order of an agent's call, whose fate is unknown if that of an identical one is. */
	setOrder(account: number, body: IDataObject): void {
		this.order = new AgentOrder(this.context, account, [getOperationName(this.context), body]);
		this.findUnknownFate();
	}

	/** Pays for the video. An agent's identical orders wait for each other's fate. */
	async takeTurn<T>(pay: () => Promise<T>, signal: AbortSignal): Promise<T> {
		if (this.order === undefined) return await pay();
		return await this.order.takeTurn(async () => {
			this.findUnknownFate();
			return await pay();
		}, signal);
	}

	private findUnknownFate(): void {
		const failure = this.order?.findUnknownFate();
		if (failure) this.state = { stage: 'unknown', failure };
	}

	/** Notes what the item has reached, and hands it to n8n. */
	keep(change: Partial<ItemState>): void {
		const { context, state } = this;
		Object.assign(state, change);
		if (!this.isRunByN8n) return;
		const operation = getOperationName(context);
		// The list that n8n holds, which is changed in place.
		const items = getNodeStates(context)?.[operation] ?? [];
		const index = context.getItemIndex();
		while (items.length < index) items.push(null);
		items[index] = state;
		// n8n merges objects, so the list is given as a whole.
		const states: NodeStates = { ...getNodeStates(context), [operation]: items };
		context.setMetadata({ [KEY]: states } as ITaskMetadata);
	}

	/** Notes that the fate of a sent add is unknown, and why. */
	keepUnknown({ facts }: RequestFailure): void {
		const failure = keepReason(facts);
		this.keep({ stage: 'unknown', failure });
		this.order?.keepUnknownFate(failure);
	}

	/** Why the fate is unknown. Without a reason, the add was under way when its execution was stopped. */
	getFailure(): RequestFailure {
		return new RequestFailure(this.state.failure ?? { kind: 'uncertain', httpCode: 'ECONNRESET' });
	}

	/** Notes which queue item is waited for. After a change of the workflow, what is known is of another one. */
	keepAwaited(ids: Pick<ItemState, 'queueId' | 'projectId' | 'createdAt'>): void {
		if (this.state.queueId !== ids.queueId) this.state = { stage: 'new' };
		this.keep(ids);
	}
}

/** The states of the items of a node that n8n runs, each with the index of its item. */
export function listStates(
	context: IExecuteSingleFunctions,
): [itemIndex: number, state: ItemState][] {
	const states = isRunByN8n(context) ? getNodeStates(context) : undefined;
	return [...(states?.[getOperationName(context)] ?? []).entries()].flatMap(
		([index, state]): [number, ItemState][] => (state ? [[index, state]] : []),
	);
}

/** Removes everything once all items have succeeded: n8n runs a node again that has returned, too. */
export function forgetItems(context: IExecuteSingleFunctions): void {
	if (!isRunByN8n(context) || getNodeStates(context) === undefined) return;
	context.setMetadata({ [KEY]: undefined } as ITaskMetadata);
}

function getNodeStates(context: IExecuteSingleFunctions): NodeStates | undefined {
	const metadata = context.getExecuteData().metadata as Record<string, unknown> | undefined;
	return metadata?.[KEY] as NodeStates | undefined;
}

/**
 * As stored: n8n finds the operation by these two, which cannot be expressions. Video > Generate and Queue > Add
 * share what they have paid for: a failed execution may be retried with the other operation.
 */
function getOperationName(context: IExecuteSingleFunctions): string {
	const { resource, operation } = context.getNode().parameters as Record<string, string>;
	return operation === 'generate' ? 'queue.add' : `${resource}.${operation}`;
}

/** The facts of an unknown fate. Of the service's texts, only the beginning of one that names a queue item is kept. */
function keepReason(facts: FailureFacts): FailureFacts {
	const names = ['kind', 'httpCode', 'content', 'field', 'receivedQueueId'];
	if (facts.receivedQueueId !== undefined) names.push('receivedText');
	return JSON.parse(JSON.stringify(facts, names)) as FailureFacts;
}

const MAX_TEXT_LENGTH = 200;

/** Names of fields that may hold a prompt, a key or an error's text. */
const LEFT_OUT = /prompt|key|token|secret|error|message/i;

/** The fields of a response that are kept: plain ones with short texts, addresses, and the entry of the video. */
export function keepPlain(fields: IDataObject): IDataObject {
	const kept = Object.entries(fields).flatMap(([name, value]): [string, IDataObject[string]][] => {
		if (value === undefined || LEFT_OUT.test(name)) return [];
		if (name === 'video' && isObject(value)) return [[name, keepPlain(value)]];
		// A shortened address would be another one.
		const isShort = typeof value !== 'string' || /url$/i.test(name);
		if (isShort) return typeof value === 'object' && value !== null ? [] : [[name, value]];
		return [[name, value.slice(0, MAX_TEXT_LENGTH)]];
	});
	return Object.fromEntries(kept);
}

/**
 * The order of an agent's call. A model that gets no good answer places it again, so an identical order waits
 * for the fate of the one before it, and after an unknown fate it is never placed again. The calls of an AI
 * Agent node share its execution, which keeps the fates. The MCP Server Trigger and n8n's Agents share nothing:
 * each call has an execution of its own or none.
 */
export class AgentOrder {
	private readonly id: number;

	/** n8n's data of the execution; undefined where calls share none. */
	private readonly execution: IDataObject | undefined;

	constructor(context: IExecuteSingleFunctions, account: number, order: unknown) {
		const executionId = context.getExecutionId() as string | undefined;
		const isShared = executionId !== undefined && (isAgentStep(context) || !isRunByN8n(context));
		this.execution = isShared ? context.getContext('flow') : undefined;
		this.id = hashText(JSON.stringify([isShared ? executionId : '', account, order]));
	}

	/** Waits for the fate of an identical order. @throws a RequestFailure when the signal is aborted meanwhile */
	async takeTurn<T>(place: () => Promise<T>, signal: AbortSignal): Promise<T> {
		const before = underWay.get(this.id) ?? Promise.resolve();
		const placing = untilAborted(before, signal).then(place);
		const end = Promise.allSettled([before, placing]);
		underWay.set(this.id, end);
		void end.then(() => {
			if (underWay.get(this.id) === end) underWay.delete(this.id);
		});
		return await placing;
	}

	/** Why the fate of an identical order is unknown. */
	findUnknownFate(): FailureFacts | undefined {
		if (this.execution) return getFates(this.execution)[this.id];
		forgetOldFates();
		return unknownFates.get(this.id)?.facts;
	}

	keepUnknownFate(facts: FailureFacts): void {
		if (this.execution) {
			const fates = { ...getFates(this.execution), [this.id]: facts };
			Object.assign(this.execution, { [KEY]: fates });
			return;
		}
		unknownFates.set(this.id, { facts, at: performance.now() });
		forgetOldFates();
	}
}

function getFates(execution: IDataObject): Record<string, FailureFacts> {
	return (execution[KEY] ?? {}) as unknown as Record<string, FailureFacts>;
}

/** The orders of agents that are being placed, by ID: the last one of those that are identical. */
const underWay = new Map<number, Promise<unknown>>();

/** The unknown fates of orders whose calls share nothing else, by ID, the oldest first. */
const unknownFates = new Map<number, { facts: FailureFacts; at: number }>();

const MAX_FATES = 1_000;
const MAX_FATE_AGE_MS = 3_600_000;

function forgetOldFates(): void {
	for (const [id, { at }] of unknownFates) {
		if (unknownFates.size <= MAX_FATES && performance.now() < at + MAX_FATE_AGE_MS) return;
		unknownFates.delete(id);
	}
}

type CallContext = Pick<IExecuteSingleFunctions, 'getExecuteData' | 'getNode'>;

/** Whether a model reads the result: n8n makes a tool of a node under the node's type with this ending. */
export function isAgentCall(context: CallContext): boolean {
	return context.getNode().type.endsWith('Tool');
}

/**
 * Whether n8n runs the call as a step of the agent's workflow, as the AI Agent node asks it to since its
 * version 3. n8n notes this in the node.
 */
export function isAgentStep(context: CallContext): boolean {
	return context.getNode().rewireOutputLogTo === NodeConnectionTypes.AiTool;
}

/** Whether n8n runs this node itself. Where an agent calls its tool itself, the data are those of the agent. */
export function isRunByN8n(context: CallContext): boolean {
	return context.getExecuteData().node.name === context.getNode().name;
}
