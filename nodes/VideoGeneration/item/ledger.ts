import type { IDataObject, IExecuteSingleFunctions } from 'n8n-workflow';
import { isObject } from '../api/response';
import { type FailureFacts, RequestFailure, type Unidentified } from '../failures/failure';
import { getKept, keep } from '../n8n/calls';
import { AgentOrder } from './earlierCalls';

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
	running?: { at: number; executionId: string | undefined };
	/** The finished item. */
	finished?: IDataObject | undefined;
	/** Why the finished item has no video, also where the list could not be read yet. */
	unidentified?: Unidentified | undefined;
	/** How a queue item was last seen to end without a video. */
	endedAs?: 'notGenerated' | 'leftQueue' | undefined;
	/** The hash of the unique key that the item has taken, and what tells its claim from others'. */
	key?: number | undefined;
	claim?: number | undefined;
}

/** By operation, since a node may be set to another one before a retry, and back; then by the index of the item. */
type NodeStates = Record<string, (ItemState | null)[]>;

/**
 * The ledger of one item, through all tries of Retry On Fail and Executions > Retry. An item is known by its index: a
 * prompt with `$now` is the same item. An agent's calls have no index, so they are known by their order.
 */
export class Ledger {
	state: ItemState;
	private order: AgentOrder | undefined;

	constructor(private readonly context: IExecuteSingleFunctions) {
		this.state = getStates(context)[context.getItemIndex()] ?? { stage: 'new' };
	}

	/** Whether the video is paid for, as far as is known. */
	get isPaid(): boolean {
		return this.state.stage === 'queued' || this.state.stage === 'finished';
	}

	/** Notes the order of an agent's call. */
	setOrder(keyId: number, body: IDataObject): void {
		this.order = new AgentOrder(this.context, keyId, [getOperationName(this.context), body]);
	}

	/** Takes over the unknown fate of an identical order that an agent has placed before. */
	takeOverFate(): void {
		const ofOrder = this.order?.findUnknownFate();
		if (ofOrder) this.state = { stage: 'unknown', failure: ofOrder };
	}

	/** Why the fate of its add is unknown; undefined where it is not. */
	findUnknownFate(): RequestFailure | undefined {
		const { failure, stage } = this.state;
		if (stage !== 'unknown') return undefined;
		// Without a reason, the add was under way when its execution was stopped.
		return new RequestFailure(failure ?? { kind: 'uncertain', httpCode: 'ECONNRESET' });
	}

	/** Notes what the item has reached, and hands it to n8n. */
	keep(change: Partial<ItemState>): void {
		const { context, state } = this;
		Object.assign(state, change);
		const items = getStates(context);
		const index = context.getItemIndex();
		while (items.length < index) items.push(null);
		items[index] = state;
		keep(context, { ...getNodeStates(context), [getOperationName(context)]: items });
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
	return getStates(context).flatMap((state, index) => (state ? [[index, state]] : []));
}

/** Removes everything once all items have succeeded: n8n runs a node again that has returned, too. */
export function forgetItems(context: IExecuteSingleFunctions): void {
	if (getNodeStates(context)) keep(context, undefined);
}

const getNodeStates = (context: IExecuteSingleFunctions) =>
	getKept(context) as NodeStates | undefined;

const getStates = (context: IExecuteSingleFunctions) =>
	getNodeStates(context)?.[getOperationName(context)] ?? [];

/** Video > Generate and Queue > Add share what they have paid for: a failed execution may be retried with the other one. */
function getOperationName(context: IExecuteSingleFunctions): string {
	const { resource, operation } = context.getNode().parameters as Record<string, string>;
	return operation === 'generate' ? 'queue.add' : `${resource}.${operation}`;
}

const MAX_TEXT_LENGTH = 200;

/** Whether a text may be shortened: an address or an ID would be another one. */
export const canBeCut = (name: string, value: unknown): value is string =>
	typeof value === 'string' && !/(url|id)$/i.test(name);

/** Names of fields that may hold a prompt, a key or an error's text. */
const LEFT_OUT = /prompt|key|token|secret|error|message/i;

/** The fields of a response that are kept: plain ones with short texts, addresses, and the entry of the video. */
export function keepPlain(fields: IDataObject): IDataObject {
	const kept: IDataObject = {};
	for (const [name, value] of Object.entries(fields)) {
		if (LEFT_OUT.test(name)) continue;
		if (canBeCut(name, value)) kept[name] = value.slice(0, MAX_TEXT_LENGTH);
		else if (typeof value !== 'object' || value === null) kept[name] = value;
		else if (name === 'video' && isObject(value)) kept.video = keepPlain(value);
	}
	return kept;
}
