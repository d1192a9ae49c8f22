import type {
	IDataObject,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	ITaskMetadata,
} from 'n8n-workflow';
import { hashText } from '../api/hash';
import { isObject } from '../api/response';
import type { FailureFacts } from '../failures/failure';
import { RequestFailure } from '../failures/failure';

/** The name of our data in those of the execution. */
const KEY = 'videoGeneration';

/**
 * What an item has reached. n8n keeps it in the execution's own data: it hands it to every try of Retry
 * On Fail, saves it with a failed execution, and hands it to Executions > Retry. It is JSON, small, and
 * holds no prompt, no key and no error's text.
 */
export interface ItemState {
	/** From the moment that an add or a clear is sent until there is proof of what became of it. */
	fate?: 'unknown' | undefined;
	/** Why the fate is unknown. */
	failure?: FailureFacts | undefined;
	/** The ID of an accepted add. */
	queueId?: string;
	projectId?: string | undefined;
	createdAt?: string | undefined;
	/** The last known progress. */
	details?: IDataObject | undefined;
	/** The finished item, once its video or its candidates are settled. */
	finished?: IDataObject | undefined;
	isCleared?: true | undefined;
	/** The hash of the unique key that the item has taken. */
	key?: number | undefined;
}

/** The states of a node's items, in their order; null for an item that has reached nothing. */
type ItemStates = (ItemState | null)[];

/** By resource and operation: a node may be set to another one before a retry, and back. */
type NodeState = Record<string, ItemStates>;

/** A call of an agent that a later call may go on with. */
interface Call {
	/** Identifies identical calls, without their prompt. */
	id: string;
	state: ItemState;
}

/** What is too large for n8n to keep. It is lost with the process, which costs nothing. */
interface Extras {
	failure?: RequestFailure | undefined;
	queueItem?: IDataObject;
	finished?: IDataObject | undefined;
	/** The item's output, with its file if it was downloaded. */
	output?: INodeExecutionData[];
	/** Whether a call of an agent is using the state. */
	isInUse?: boolean;
}

const extrasOfStates = new WeakMap<ItemState, Extras>();

/**
 * The memory of one item, through all tries of Retry On Fail, Executions > Retry, and their own tries.
 *
 * A node that n8n runs knows an item by its index, not by its request: a prompt with `$now` is the same
 * item. An agent that calls its tool itself shares its data among all calls, so a call is known by its
 * request, for the whole execution. An agent that has n8n run the tool gets new data for each call, so
 * unknown fates are known by their request, too.
 */
export class ItemMemory {
	readonly state: ItemState;

	private readonly callId: string;

	/** Known once: n8n copies the whole node whenever it is asked for it. */
	private readonly isRunByN8n: boolean;

	private readonly isCall: boolean;

	/**
	 * Finds the item's state, which no other call uses until `close`.
	 *
	 * @param isAgentStep whether an agent's model reads the result
	 */
	constructor(
		private readonly context: IExecuteSingleFunctions,
		{ url, body }: IHttpRequestOptions,
		isAgentStep: boolean,
	) {
		this.isRunByN8n = isRunByN8n(context);
		this.isCall = isAgentStep || !this.isRunByN8n;
		this.callId = String(hashText(JSON.stringify([url, body])));
		this.state = this.findState() ?? {};
		// Of an unknown fate, no call sends anything, however many have the state.
		if (this.isCall && !this.isFateUnknown()) this.extras.isInUse = true;
	}

	/** What only this process knows of the item. */
	get extras(): Extras {
		const extras = extrasOfStates.get(this.state) ?? {};
		extrasOfStates.set(this.state, extras);
		return extras;
	}

	/** Whether something was sent whose fate is not known. */
	isFateUnknown(): boolean {
		return this.state.fate === 'unknown';
	}

	/** Notes what the item has reached, and hands it to n8n. */
	keep(change: ItemState): void {
		Object.assign(this.state, change);
		if (this.isRunByN8n) this.keepInNode();
		if (this.isCall) this.setInCalls(true);
	}

	/** Notes why the fate of what was sent is unknown; undefined: it was refused, or never sent. */
	keepFailure(failure: RequestFailure | undefined): void {
		this.extras.failure = failure;
		this.keep({ fate: failure && 'unknown', failure: failure && keepReason(failure) });
	}

	/** Why the fate is unknown. Without a failure, the add was under way when its execution was stopped. */
	getFailure(): RequestFailure {
		const { failure = { kind: 'uncertain', httpCode: 'ECONNRESET' } } = this.state;
		return this.extras.failure ?? new RequestFailure(failure);
	}

	/** Notes the queue item of an accepted add. */
	keepQueueItem(queueItem: IDataObject, state: ItemState): void {
		this.extras.queueItem = queueItem;
		this.keep({ fate: undefined, failure: undefined, ...state });
	}

	/** The queue item of an accepted add: in another process than the add's, the fields that n8n has kept. */
	getQueueItem(): IDataObject {
		const { queueId, projectId, createdAt, details } = this.state;
		return this.extras.queueItem ?? { queueId, projectId, ...details, createdAt };
	}

	/** Notes which queue item is waited for. After a change of the workflow, what is known is of another one. */
	keepAwaited(queueId: string): void {
		if (this.state.queueId === queueId) return;
		this.extras.finished = undefined;
		this.keep({ queueId, details: undefined, finished: undefined });
	}

	/** Notes a finished item. */
	keepFinished(finished: IDataObject): void {
		this.extras.finished = finished;
		this.keep({ finished: toKeptItem(finished) });
	}

	/** Ends the try. A failed call leaves its state to the next one; a call after a success is a new order. */
	close(hasSucceeded: boolean): void {
		this.extras.isInUse = false;
		const { fate, queueId } = this.state;
		const isNeeded = fate === 'unknown' || (queueId !== undefined && !this.isRunByN8n);
		if (this.isCall && (hasSucceeded || !isNeeded)) this.setInCalls(false);
	}

	private findState(): ItemState | undefined {
		const { context } = this;
		const ofNode = this.isRunByN8n ? getItemStates(context)?.[context.getItemIndex()] : undefined;
		if (ofNode || !this.isCall) return ofNode ?? undefined;
		return this.getCalls().find(
			({ id, state }) =>
				id === this.callId &&
				extrasOfStates.get(state)?.isInUse !== true &&
				// Where n8n does not tell a try of Retry On Fail from a new call, any failed one goes on.
				(state.fate === 'unknown' || !this.isRunByN8n),
		)?.state;
	}

	private keepInNode(): void {
		const { context, state } = this;
		// The list that n8n holds, which is changed in place.
		const items = getItemStates(context) ?? [];
		const index = context.getItemIndex();
		while (items.length < index) items.push(null);
		items[index] = share(state, items[index - 1]);
		// The list is given as a whole: of objects, n8n 1 keeps the new one alone, and n8n 2 merges both.
		const ofNode: NodeState = { ...getNodeState(context), [getOperationName(context)]: items };
		context.setMetadata({ [KEY]: ofNode } as ITaskMetadata);
	}

	private getCalls(): Call[] {
		return (this.context.getContext('node') as { [KEY]?: Call[] })[KEY] ?? [];
	}

	/** Keeps the state for a later call, or not. A successful execution keeps nothing, also no empty list. */
	private setInCalls(isKept: boolean): void {
		const others = this.getCalls().filter(({ state }) => state !== this.state);
		const calls = isKept ? [...others, { id: this.callId, state: this.state }] : others;
		const data = this.context.getContext('node') as { [KEY]?: Call[] | undefined };
		data[KEY] = calls.length > 0 ? calls : undefined;
	}
}

/** The states of the items of a node that n8n runs, each with the index of its item. */
export function listStates(
	context: IExecuteSingleFunctions,
): [itemIndex: number, state: ItemState][] {
	const items = isRunByN8n(context) ? (getItemStates(context) ?? []) : [];
	return [...items.entries()].flatMap(([index, state]): [number, ItemState][] =>
		state ? [[index, state]] : [],
	);
}

/** Removes everything once all items have succeeded: a successful execution keeps nothing of it. */
export function forgetItems(context: IExecuteSingleFunctions): void {
	if (!isRunByN8n(context) || getNodeState(context) === undefined) return;
	context.setMetadata({ [KEY]: undefined } as ITaskMetadata);
}

/** Whether n8n runs this node itself. Where an agent calls its tool itself, the data are those of the agent. */
export function isRunByN8n(
	context: Pick<IExecuteSingleFunctions, 'getExecuteData' | 'getNode'>,
): boolean {
	return context.getExecuteData().node.name === context.getNode().name;
}

function getMetadata(context: IExecuteSingleFunctions): Record<string, unknown> | undefined {
	return context.getExecuteData().metadata as Record<string, unknown> | undefined;
}

function getNodeState(context: IExecuteSingleFunctions): NodeState | undefined {
	return getMetadata(context)?.[KEY] as NodeState | undefined;
}

function getItemStates(context: IExecuteSingleFunctions): ItemStates | undefined {
	return getNodeState(context)?.[getOperationName(context)];
}

/** As stored: n8n finds the operation by these two, which cannot be expressions. */
function getOperationName(context: IExecuteSingleFunctions): string {
	const { resource, operation } = context.getNode().parameters as Record<string, string>;
	return `${resource}.${operation}`;
}

/** Why the fate is unknown, without any text of the service, which may be long or hold the key. */
function keepReason({ facts }: RequestFailure): FailureFacts {
	const names = ['kind', 'httpCode', 'content', 'limit', 'field', 'receivedQueueId'];
	return JSON.parse(JSON.stringify(facts, names)) as FailureFacts;
}

const MAX_TEXT_LENGTH = 200;

/** Names of fields that may hold a prompt, a key or an error's text. */
const LEFT_OUT = /prompt|key|token|secret|error|message/i;

/** A shortened address would be another one. */
const ADDRESS = /url$/i;

/** The fields of a response that are kept: plain ones, with short texts. */
export function keepPlain(fields: IDataObject): IDataObject {
	const kept: IDataObject = {};
	for (const [name, value] of Object.entries(fields)) {
		if (value === undefined || LEFT_OUT.test(name)) continue;
		if (typeof value === 'string') {
			kept[name] = ADDRESS.test(name) ? value : value.slice(0, MAX_TEXT_LENGTH);
		} else if (typeof value !== 'object' || value === null) kept[name] = value;
	}
	return kept;
}

/** A finished item as it is kept: like `keepPlain`, with its video or its candidates. */
function toKeptItem(finished: IDataObject): IDataObject {
	const { video, videoCandidates } = finished;
	return {
		...keepPlain(finished),
		...(isObject(video) ? { video: keepPlain(video) } : {}),
		...(Array.isArray(videoCandidates)
			? { videoCandidates: videoCandidates.filter(isObject).map(keepPlain) }
			: {}),
	};
}

/** Shares equal parts of two states, since n8n saves an object that stands in two places once. */
function share(state: ItemState, other: ItemState | null | undefined): ItemState {
	if (other?.details && isSame(state.details, other.details)) state.details = other.details;
	const candidates = other?.finished?.videoCandidates;
	if (candidates && isSame(state.finished?.videoCandidates, candidates)) {
		state.finished = { ...state.finished, videoCandidates: candidates };
	}
	return state;
}

function isSame(one: unknown, other: unknown): boolean {
	return JSON.stringify(one) === JSON.stringify(other);
}
