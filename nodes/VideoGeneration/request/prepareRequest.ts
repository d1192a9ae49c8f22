import type {
	IExecutePaginationFunctions,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	PreSendAction,
} from 'n8n-workflow';
import type { FailureContext } from '../failures/FailureText';
import type { AcceptedAdd, NodeRun } from './nodeRun';
import { joinRun } from './nodeRun';
import { readMaxTries } from './readMaxTries';
import { ANSWER_TIMEOUT_MS, DEFAULT_MAX_TRIES } from './requestDefaults';

/** What the request policy has to know of an operation, beside its request. */
export interface OperationPolicy extends Omit<FailureContext, 'remainingCredits'> {
	/** Does the operation's work where that is not to send its one request. */
	perform?: (
		context: IExecutePaginationFunctions,
		item: PreparedItem,
	) => Promise<INodeExecutionData[]>;
	/** What is still to do once the request has been answered. */
	complete?: (
		context: IExecutePaginationFunctions,
		item: PreparedItem,
		output: INodeExecutionData[],
	) => Promise<INodeExecutionData[]>;
}

/** One step that puts a parameter into the request; it throws when the parameter is of no use. */
export type RequestStep = (context: IExecuteSingleFunctions, request: IHttpRequestOptions) => void;

export interface PreparedItem {
	policy: OperationPolicy;
	run: NodeRun;
	/** The adds that earlier tries of this run had accepted. */
	accepted: Map<string, AcceptedAdd>;
	/** As n8n has prepared it, with the user's proxy and timeout. */
	request: IHttpRequestOptions;
	/** How often the request may be sent. */
	maxTries: number;
	/** Why this item cannot be sent. */
	inputError?: unknown;
	/** The add of this item, once it was accepted. */
	add?: AcceptedAdd;
	/** What a failed item's `details` hold, e.g. its `queueId`. */
	details: { queueId?: string; projectId?: string; videoUrl?: string };
}

/**
 * By the request's options, which n8n hands on to the sending function unchanged, and by the item's
 * context, which all steps of an item share.
 */
const preparedItems = new WeakMap<object, PreparedItem>();

/**
 * The one `preSend` of an operation: registers the item in its run, then takes the operation's
 * steps. An error is kept for `sendByPolicy`: thrown here, it would reach the user without item
 * linking. All of it happens before n8n starts the next item.
 */
export function prepareRequest(policy: OperationPolicy, ...steps: RequestStep[]): PreSendAction {
	return async function (this: IExecuteSingleFunctions, request: IHttpRequestOptions) {
		const item: PreparedItem = {
			policy,
			...joinRun(this),
			request,
			maxTries: DEFAULT_MAX_TRIES,
			details: {},
		};
		preparedItems.set(request, item);
		preparedItems.set(this, item);
		try {
			item.maxTries = readMaxTries(this);
			for (const step of steps) step(this, request);
			if (policy.requestKind !== 'add' && !item.run.hasOwnTimeout)
				request.timeout = ANSWER_TIMEOUT_MS;
		} catch (error) {
			refuseItem(item, error);
		}
		return await Promise.resolve(request);
	};
}

/** Notes why an item cannot be sent; with the node set to stop, no other one is sent either. */
export function refuseItem(item: PreparedItem, reason: unknown): void {
	item.inputError ??= reason;
	if (item.run.isStopping) item.run.end();
}

/** What `prepareRequest` has kept of an item, by its request or its context. */
export function getPreparedItem(key: object): PreparedItem {
	const item = preparedItems.get(key);
	if (!item) throw new Error('The request was not prepared: the operation lacks its preSend step');
	return item;
}

/** Lets a step name what belongs to the item, for its `details` if it fails. */
export function addDetails(request: object, details: PreparedItem['details']): void {
	Object.assign(getPreparedItem(request).details, details);
}
