import type { IDataObject, IExecuteSingleFunctions, ITaskMetadata } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { hashText, isObject } from '../api/response';
import { type FailureFacts, RequestFailure, type Unidentified } from '../failures/failure';

/** The name of our data in n8n's data of a node and of an execution. */
const KEY = 'videoGeneration';

/** What n8n keeps of an item across its tries: small JSON, without a prompt, a key or an error's text. */
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
	/** When it was last found running, by `performance.now()` of the process that runs the execution. */
	running?: { at: number; executionId: string };
	/** The finished item. */
	finished?: IDataObject | undefined;
	/** Why the finished item has no video. */
	unidentified?: Unidentified | undefined;
	/** Whether an earlier try has failed since it left the queue without a video. */
	hasLeftQueue?: boolean;
	/** The hash of the unique key that the item has taken. */
	key?: number | undefined;
}

/** By operation, since a node may be set to another one before a retry, and back; then by the index of the item. */
type NodeStates = Record<string, (ItemState | null)[]>;

/**
 * The ledger of one item, through all tries of Retry On Fail and Executions > Retry. An item is known by its index: a
 * prompt with `$now` is the same item. An agent's calls have no index, so they are known by their order.
 */
export class Ledger {
	state: ItemState;
	/** Whether this try has seen the queue item end without a video: it failed, or left the queue. */
	hasEnded = false;
	private order: AgentOrder | undefined;

	constructor(private readonly context: IExecuteSingleFunctions) {
		this.state = getStates(context)?.[context.getItemIndex()] ?? { stage: 'new' };
	}

	/** Whether the video is paid for, as far as is known. */
	get isPaid(): boolean {
		return this.state.stage === 'queued' || this.state.stage === 'finished';
	}

	/** Notes the order of an agent's call. */
	setOrder(keyId: number, body: IDataObject): void {
		this.order = new AgentOrder(this.context, keyId, [getOperationName(this.context), body]);
	}

	/** Why the fate of its add, or of an identical order of an agent, is unknown; undefined where it is not. */
	findUnknownFate(): RequestFailure | undefined {
		const ofOrder = this.order?.findUnknownFate();
		if (ofOrder) this.state = { stage: 'unknown', failure: ofOrder };
		const { failure, stage } = this.state;
		if (stage !== 'unknown') return undefined;
		// Without a reason, the add was under way when its execution was stopped.
		return new RequestFailure(failure ?? { kind: 'uncertain', httpCode: 'ECONNRESET' });
	}

	/** Notes what the item has reached, and hands it to n8n. */
	keep(change: Partial<ItemState>): void {
		const { context, state } = this;
		Object.assign(state, change);
		if (!isRunByN8n(context)) return;
		const items = getStates(context) ?? [];
		const index = context.getItemIndex();
		while (items.length < index) items.push(null);
		items[index] = state;
		// As a whole: n8n 2.20 replaces what it keeps, and later versions merge objects, but no lists.
		const states: NodeStates = { ...getNodeStates(context), [getOperationName(context)]: items };
		context.setMetadata({ [KEY]: states } as ITaskMetadata);
	}

	/** Notes that the fate of a sent add is unknown, and why. */
	keepUnknown({ facts }: RequestFailure): void {
		const names = ['kind', 'httpCode', 'content', 'field', 'receivedQueueId'];
		// Of the service's texts, only one that names a queue item is kept.
		if (facts.receivedQueueId !== undefined) names.push('receivedText');
		const failure = JSON.parse(JSON.stringify(facts, names)) as FailureFacts;
		this.keep({ stage: 'unknown', failure });
		this.order?.keepUnknownFate(failure);
	}

	/** Notes which queue item is waited for. After a change of the workflow, what is known is of another one. */
	keepAwaited(ids: Pick<ItemState, 'queueId' | 'projectId' | 'createdAt'>): void {
		if (this.state.queueId !== ids.queueId) this.state = { stage: 'new' };
		this.keep(ids);
	}
}

/** The states of the items of a node that n8n runs, each with the index of its item. */
export function listStates(context: IExecuteSingleFunctions): [index: number, state: ItemState][] {
	const states = getStates(context) ?? [];
	return states.flatMap((state, index) => (state ? [[index, state]] : []));
}

/** Removes everything once all items have succeeded: n8n runs a node again that has returned, too. */
export function forgetItems(context: IExecuteSingleFunctions): void {
	if (getNodeStates(context)) context.setMetadata({ [KEY]: undefined } as ITaskMetadata);
}

function getStates(context: IExecuteSingleFunctions): (ItemState | null)[] | undefined {
	return getNodeStates(context)?.[getOperationName(context)];
}

/** What n8n keeps of a node that it runs: the data of an agent's call may be those of the agent. */
function getNodeStates(context: IExecuteSingleFunctions): NodeStates | undefined {
	if (!isRunByN8n(context)) return undefined;
	return (context.getExecuteData().metadata as Record<string, NodeStates> | undefined)?.[KEY];
}

/** Video > Generate and Queue > Add share what they have paid for: a failed execution may be retried with the other one. */
function getOperationName(context: IExecuteSingleFunctions): string {
	const { resource, operation } = context.getNode().parameters as Record<string, string>;
	return operation === 'generate' ? 'queue.add' : `${resource}.${operation}`;
}

const MAX_TEXT_LENGTH = 200;

/** Names of fields that may hold a prompt, a key or an error's text. */
const LEFT_OUT = /prompt|key|token|secret|error|message/i;

/** The fields of a response that are kept: plain ones with short texts, addresses, and the entry of the video. */
export function keepPlain(fields: IDataObject): IDataObject {
	const kept: IDataObject = {};
	for (const [name, value] of Object.entries(fields)) {
		if (LEFT_OUT.test(name)) continue;
		// A shortened address or ID would be another one.
		const isCut = typeof value === 'string' && !/(url|id)$/i.test(name);
		if (isCut) kept[name] = value.slice(0, MAX_TEXT_LENGTH);
		else if (typeof value !== 'object' || value === null) kept[name] = value;
		else if (name === 'video' && isObject(value)) kept.video = keepPlain(value);
	}
	return kept;
}

/**
 * The order of an agent's call. A model that gets no good answer places it again: after an unknown fate, an
 * identical order is never placed. The calls of an AI Agent node share its execution, which keeps the fates. Those of
 * the MCP Server Trigger and of n8n's Agents share none: the process keeps them.
 */
export class AgentOrder {
	private readonly id: number;
	private readonly execution: { [KEY]?: Record<number, FailureFacts> } | undefined;

	constructor(context: IExecuteSingleFunctions, keyId: number, order: unknown) {
		const isShared = sharesExecution(context);
		if (isShared) this.execution = context.getContext('flow');
		const executionId = isShared ? context.getExecutionId() : '';
		this.id = hashText(JSON.stringify([executionId, keyId, order]));
	}

	/** Why the fate of an identical order is unknown. */
	findUnknownFate(): FailureFacts | undefined {
		if (this.execution) return this.execution[KEY]?.[this.id];
		const since = performance.now() - KEPT_MS;
		for (const [id, { at }] of unknownFates) if (at <= since) unknownFates.delete(id);
		return unknownFates.get(this.id)?.facts;
	}

	keepUnknownFate(facts: FailureFacts): void {
		if (this.execution) (this.execution[KEY] ??= {})[this.id] = facts;
		else unknownFates.set(this.id, { facts, at: performance.now() });
	}
}

/** How long the process keeps what calls have done that share no execution. */
const KEPT_MS = 3_600_000;

/** By the ID of their order. */
const unknownFates = new Map<number, { facts: FailureFacts; at: number }>();

/** When nodes have sent adds whose calls share no execution, by `performance.now()`. A node is forgotten with its last call. */
const sentByNode = new Map<string, { sent: number[]; calledAt: number }>();

/**
 * When the execution has sent adds of the node: a list to be changed in place. n8n keeps it through rounds and retries; for
 * calls that share no execution, the process does.
 */
export function listSent(context: IExecuteSingleFunctions): number[] {
	if (!isAgentCall(context) || sharesExecution(context)) {
		const kept = context.getContext('node') as { videosQueued?: number[] };
		return (kept.videosQueued ??= []);
	}
	const now = performance.now();
	const since = now - KEPT_MS;
	for (const [node, { calledAt }] of sentByNode) if (calledAt < since) sentByNode.delete(node);
	// n8n gives the nodes of its Agents a new ID for each call, and no workflow.
	const { credentials, name } = context.getNode();
	const node = JSON.stringify([context.getWorkflow().id, name, credentials]);
	const { sent } = sentByNode.get(node) ?? { sent: [] };
	sentByNode.set(node, { sent, calledAt: now });
	while (sent[0] !== undefined && sent[0] < since) sent.shift();
	return sent;
}

type CallContext = Pick<IExecuteSingleFunctions, 'getExecuteData' | 'getNode'>;

/** Whether a model reads the result: n8n makes a tool of a node under the node's type with this ending. */
export const isAgentCall = (context: CallContext) => context.getNode().type.endsWith('Tool');

/** Whether n8n runs the call as a step of the agent's workflow, as it does for the AI Agent node from version 3 on. */
export const isAgentStep = (context: CallContext) =>
	context.getNode().rewireOutputLogTo === NodeConnectionTypes.AiTool;

/** Whether the calls of an agent belong to one execution. */
function sharesExecution(context: IExecuteSingleFunctions): boolean {
	const executionId = context.getExecutionId() as string | undefined;
	return executionId !== undefined && (isAgentStep(context) || !isRunByN8n(context));
}

/** Whether n8n runs this node itself. Where an agent calls its tool itself, the data are those of the agent. */
const isRunByN8n = (context: CallContext) =>
	context.getExecuteData().node.name === context.getNode().name;
