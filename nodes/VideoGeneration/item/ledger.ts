import type { IDataObject, IExecuteSingleFunctions, ITaskMetadata } from 'n8n-workflow';
import { isObject } from '../api/response';
import type { FailureFacts, Unidentified } from '../failures/failure';
import { RequestFailure } from '../failures/failure';
import { AgentOrder, isRunByN8n } from './agentOrder';

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
		Object.assign(this.state, change);
		if (this.isRunByN8n) this.keepInNode();
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
		const isOther = this.state.queueId !== ids.queueId;
		const none = {
			details: undefined,
			finished: undefined,
			unidentified: undefined,
			gone: undefined,
		};
		this.keep({ ...ids, ...(isOther && { stage: 'new', ...none }) });
	}

	private keepInNode(): void {
		const { context, state } = this;
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
