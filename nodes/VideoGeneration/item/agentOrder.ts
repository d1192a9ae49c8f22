import type { IDataObject, IExecuteSingleFunctions } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { hashText } from '../api/hash';
import { untilAborted } from '../api/pacing';
import type { FailureFacts } from '../failures/failure';

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

/** The name of our data in those of the execution. */
const KEY = 'videoGeneration';

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
