import type { IExecuteData, IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { RequestFailure } from '../failures/requestFailure';

/** An add that the service accepted: it is paid, and is never sent again. */
export interface AcceptedAdd {
	queueId: string;
	lastStatus: string;
	output: INodeExecutionData[];
	/** Once its video was waited for with success. */
	finished?: INodeExecutionData[];
	/** Whether a call of an agent is at work with it. */
	isInUse: boolean;
}

/**
 * One run of the node over its input items: what the items need to know of each other. Nothing of it
 * relies on who starts them: `runItems` prepares all of them first, and n8n's routing sends each one while
 * it prepares the next.
 */
export class NodeRun {
	private readonly ended = new AbortController();

	private readonly arrivals: Promise<void>;

	private announceArrival: () => void = () => undefined;

	private arrivedItems = 0;

	private lastTurn: Promise<unknown> = Promise.resolve();

	lastItemIndex = -1;

	/** The adds of this run that were accepted, now or in an earlier try. */
	readonly acceptedAdds: AcceptedAdd[] = [];

	/**
	 * @param expectedItems how many items n8n will start; undefined where that cannot be known
	 * @param isStopping whether the first failed item ends the run, as the node is set in n8n
	 * @param isSpaced whether the user lets n8n start the items in batches with pauses
	 * @param hasOwnTimeout whether the user has set a timeout for the answers
	 * @param isAgentStep whether an agent has n8n run the node, and is then told the error's message alone
	 */
	constructor(
		private readonly expectedItems: number | undefined,
		readonly isStopping: boolean,
		private readonly isSpaced: boolean,
		readonly hasOwnTimeout: boolean,
		readonly isAgentStep: boolean,
	) {
		this.arrivals = new Promise((resolve) => {
			this.announceArrival = resolve;
		});
	}

	/** Aborted when an item's failure ends the run. */
	get endSignal(): AbortSignal {
		return this.ended.signal;
	}

	/** An agent's call: n8n tells neither how many items it has, nor one call from another. */
	get isToolCall(): boolean {
		return this.expectedItems === undefined;
	}

	register(itemIndex: number): void {
		this.lastItemIndex = itemIndex;
		this.arrivedItems += 1;
		if (this.haveAllArrived()) this.announceArrival();
	}

	end(): void {
		this.ended.abort();
	}

	/**
	 * Whether n8n still runs this node. Its routing starts the items in one go and gives up when it cannot
	 * evaluate a parameter of one of them; the items before it are then sent for nobody.
	 */
	isAlive(): boolean {
		return !this.isStopping || this.isSpaced || this.haveAllArrived();
	}

	/**
	 * Lets the items pass one at a time, in the order in which they come. With the node set to stop,
	 * none passes before all have arrived: nothing is spent when one of them cannot be sent.
	 *
	 * @throws a RequestFailure of the kind `cancelled` once the run has ended
	 */
	async takeTurn<T>(send: () => Promise<T>): Promise<T> {
		const turn = this.lastTurn.then(async () => {
			if (this.isStopping) await this.arrivals;
			if (this.ended.signal.aborted) throw new RequestFailure('cancelled');
			return await send();
		});
		this.lastTurn = turn.catch(() => {
			if (this.isStopping) this.end();
		});
		return await turn;
	}

	private haveAllArrived(): boolean {
		return this.expectedItems === undefined || this.arrivedItems >= this.expectedItems;
	}
}

interface NodeMemory {
	run: NodeRun;
	/** By item and request, across the tries of Retry On Fail. */
	accepted: Map<string, AcceptedAdd>;
}

/** Per execution of a node, which n8n tells apart by this object: each Retry On Fail gets the same one. */
const memories = new WeakMap<IExecuteData, Map<string, NodeMemory>>();

/**
 * The run that an item belongs to, and what earlier tries of it had accepted. Items come in the
 * order of their index, so an index that is not higher than the last one begins a new run.
 */
export function joinRun(context: IExecuteSingleFunctions): NodeMemory {
	const executeData = context.getExecuteData();
	const node = context.getNode();
	const itemIndex = context.getItemIndex();
	const byNode = memories.get(executeData) ?? new Map<string, NodeMemory>();
	memories.set(executeData, byNode);

	const earlier = byNode.get(node.name);
	if (earlier && itemIndex > earlier.run.lastItemIndex) {
		earlier.run.register(itemIndex);
		return earlier;
	}
	const memory = {
		run: startRun(context, executeData),
		accepted: earlier?.accepted ?? new Map<string, AcceptedAdd>(),
	};
	byNode.set(node.name, memory);
	memory.run.register(itemIndex);
	return memory;
}

function startRun(context: IExecuteSingleFunctions, executeData: IExecuteData): NodeRun {
	const node = context.getNode();
	// As they are set: an expression in them is evaluated for each item, and fails that item alone.
	const { batching, timeout } = (node.parameters.requestOptions ?? {}) as RequestOptions;
	return new NodeRun(
		countItems(context, executeData),
		!context.continueOnFail(),
		isGiven(batching?.batch?.batchInterval),
		isGiven(timeout),
		node.rewireOutputLogTo === NodeConnectionTypes.AiTool,
	);
}

/** What n8n adds to a declarative node, as far as it matters here. */
interface RequestOptions {
	batching?: { batch?: { batchInterval?: number | string } };
	timeout?: number | string;
}

function isGiven(duration: number | string | undefined): boolean {
	return typeof duration === 'number' ? duration > 0 : duration !== undefined;
}

/** An agent's tool call runs one item, but with the agent's own input data, which says nothing of it. */
function countItems(
	context: IExecuteSingleFunctions,
	{ node, data }: IExecuteData,
): number | undefined {
	if (node.name !== context.getNode().name) return undefined;
	const items = (data.main ?? data.ai_tool)?.[0]?.length;
	return node.executeOnce === true && items !== undefined ? Math.min(1, items) : items;
}
