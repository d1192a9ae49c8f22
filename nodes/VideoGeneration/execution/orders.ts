import type {
	IDataObject,
	IExecuteData,
	IExecuteSingleFunctions,
	INodeExecutionData,
} from 'n8n-workflow';
import { onAbort, pause } from '../api/pause';
import { toText } from '../api/response';
import { classifyError } from '../failures/classifyError';
import { mayBeCarriedOut, RequestFailure } from '../failures/failure';
import type { Job } from './operation';
import { checkJob } from './run';

/**
 * The state of one item's add. At most one add is accepted for an order, through all tries of Retry
 * On Fail: an add is never sent again once an earlier one may have been accepted.
 */
export interface Order {
	/** `unknown` from the moment that the add is sent until the response tells. */
	fate: 'unsent' | 'unknown' | 'accepted';
	/** Why the fate is unknown. */
	failure?: RequestFailure;
	/** The new queue item, once accepted. */
	queueItem?: IDataObject;
	queueId?: string;
	lastStatus?: string;
	/** The tick before its add was sent, if its video is waited for. */
	runningAt?: number;
	/** The finished item, once its video was waited for. */
	finished?: IDataObject;
	/** The item's output, with its file if it was downloaded. */
	output?: INodeExecutionData[];
	/** Whether a call of an agent is using it. */
	isInUse: boolean;
}

interface AgentOrder {
	node: string;
	request: string;
	order: Order;
}

/** Keyed by n8n's object for one execution of a node, which all tries of Retry On Fail share. */
const ordersOfNodes = new WeakMap<IExecuteData, Map<number, Order>>();

/** The orders of an agent's calls that have not succeeded, keyed by the execution. */
const ordersOfAgents = new WeakMap<object, AgentOrder[]>();

/**
 * Sends an item's add, unless an earlier try has sent one that was accepted or may have been.
 *
 * @param send sends the add; it goes on when the execution is stopped, so that the queue ID of an
 * accepted add gets into n8n's log
 * @throws a RequestFailure; the same one again for an add whose fate is unknown
 */
export async function placeOrder(
	job: Job,
	send: () => Promise<INodeExecutionData[]>,
): Promise<Order> {
	const order = openOrder(job);
	if (order.fate === 'unknown') {
		// Without a failure, the add is still under way, in an execution that was stopped.
		throw order.failure ?? new RequestFailure('cancelled');
	}
	if (order.fate === 'accepted') return order;
	checkJob(job);
	order.fate = 'unknown';
	const sent = send().then(
		([output]) => {
			accept(job, order, output?.json ?? {});
		},
		(error: unknown) => {
			const failure = classifyError(error);
			order.failure = failure;
			if (!mayBeCarriedOut(failure)) order.fate = 'unsent';
			throw failure;
		},
	);
	await untilStopped(sent, job.run.stopSignal);
	return order;
}

/** Ends an agent's call. A failed call leaves its order to the next try; a call after a success is a new order. */
export function closeOrder({ order, context }: Job, hasSucceeded: boolean): void {
	if (!order) return;
	order.isInUse = false;
	const orders = ordersOfAgents.get(getExecution(context));
	const index = orders?.findIndex((each) => each.order === order) ?? -1;
	if (hasSucceeded && index >= 0) orders?.splice(index, 1);
}

/** The orders of this execution of the node, of all its tries, sorted by the index of their item. */
export function listOrders(context: IExecuteSingleFunctions): [itemIndex: number, order: Order][] {
	const byItem = ordersOfNodes.get(context.getExecuteData()) ?? new Map<number, Order>();
	return [...byItem].sort(([a], [b]) => a - b);
}

/** Whether n8n runs this node itself. Where an agent calls its tool itself, all calls share the agent's data. */
export function hasOwnData(context: IExecuteSingleFunctions): boolean {
	return context.getExecuteData().node.name === context.getNode().name;
}

/** An item's order of an earlier try, if there is one. */
export function findOrder({ context, run, request }: Job): Order | undefined {
	const isOwn = hasOwnData(context);
	const known = isOwn
		? ordersOfNodes.get(context.getExecuteData())?.get(context.getItemIndex())
		: undefined;
	if (known !== undefined || (isOwn && !run.isAgentStep)) return known;
	return findAgentOrder(context, describeRequest(request), isOwn);
}

/** The item's order of an earlier try, or a new one. `closeOrder` must follow. */
export function openOrder(job: Job): Order {
	const { context, run, request } = job;
	const order: Order = findOrder(job) ?? { fate: 'unsent', isInUse: true };
	order.isInUse = true;
	if (hasOwnData(context)) {
		const ofNode = ordersOfNodes.get(context.getExecuteData()) ?? new Map<number, Order>();
		ofNode.set(context.getItemIndex(), order);
		ordersOfNodes.set(context.getExecuteData(), ofNode);
	}
	if (run.isAgentStep || !hasOwnData(context)) {
		rememberAgentOrder(context, describeRequest(request), order);
	}
	job.order = order;
	return order;
}

/** Identifies identical calls of an agent. */
function describeRequest({ url, body }: Job['request']): string {
	return JSON.stringify([url, body]);
}

/**
 * The order of an earlier, identical call of an agent. A call after an unknown fate is refused. Where
 * n8n does not tell a try of Retry On Fail from a new call, it goes on with any order that failed.
 */
function findAgentOrder(
	context: IExecuteSingleFunctions,
	request: string,
	canTellTries: boolean,
): Order | undefined {
	const node = context.getNode().name;
	return ordersOfAgents
		.get(getExecution(context))
		?.find(
			(each) =>
				each.node === node &&
				each.request === request &&
				!each.order.isInUse &&
				(each.order.fate === 'unknown' || !canTellTries),
		)?.order;
}

function rememberAgentOrder(context: IExecuteSingleFunctions, request: string, order: Order): void {
	const execution = getExecution(context);
	const orders = ordersOfAgents.get(execution) ?? [];
	ordersOfAgents.set(execution, orders);
	if (orders.some((each) => each.order === order)) return;
	orders.push({ node: context.getNode().name, request, order });
}

/** One object for each execution. */
function getExecution(context: IExecuteSingleFunctions): object {
	return context.getExecutionCancelSignal() ?? context.getExecuteData();
}

/**
 * Notes an accepted add, also in n8n's log: when an execution is killed or stopped while it waits,
 * n8n saves nothing else of the video that it queued.
 */
function accept({ context, operation, request }: Job, order: Order, queueItem: IDataObject): void {
	order.fate = 'accepted';
	order.queueItem = queueItem;
	order.queueId = toText(queueItem.queueId);
	order.lastStatus = toText(queueItem.status);
	const projectId = toText(queueItem.projectId) || operation.getIds?.(request).projectId;
	context.logger.info(
		`Queued video ${quote(order.queueId)} of project ${quote(projectId ?? '')} in execution ${context.getExecutionId()}`,
	);
}

const MAX_LOGGED_LENGTH = 200;

function quote(text: string): string {
	return JSON.stringify(text.slice(0, MAX_LOGGED_LENGTH));
}

/** @throws a RequestFailure of the kind `cancelled` at once when the signal is aborted */
async function untilStopped(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
	let stopListening: () => void = () => undefined;
	const stopped = new Promise<never>((_, reject) => {
		stopListening = onAbort(signal, () => {
			// Between two tries no request is under way, and the work itself fails first.
			void pause(1).then(() => {
				reject(new RequestFailure('cancelled'));
			});
		});
	});
	try {
		await Promise.race([work, stopped]);
	} finally {
		stopListening();
	}
}
