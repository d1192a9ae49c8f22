import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { combineSignals } from '../api/pause';
import { createSlots, DOWNLOADS_AT_ONCE } from '../download/downloadVideo';
import { RequestFailure } from '../failures/failure';
import type { Job } from './operation';

/** @throws what keeps an item from being sent */
export function checkJob({ problem, run }: Job): void {
	if (problem !== undefined) throw problem as Error;
	if (run.signal.aborted) throw new RequestFailure('cancelled', { tries: 0 });
}

/** One try of the node with its input items: what the items share. */
export class Run {
	private readonly ended = new AbortController();

	/** Aborted when the execution is stopped, or when a failed item ends the run. */
	readonly signal: AbortSignal;

	/** Aborted when the execution is stopped. */
	readonly stopSignal: AbortSignal | undefined;

	/** Whether the first failed item ends the run, as the node's "On Error" is set. */
	readonly stopsOnError: boolean;

	/** Whether an agent's model reads the result: it is told an error's message alone. */
	readonly isAgentStep: boolean;

	/** The failed item that ended the run. */
	failure: { job: Job; reason: unknown } | undefined;

	readonly takeDownloadSlot = createSlots(DOWNLOADS_AT_ONCE);

	constructor(
		context: Pick<
			IExecuteSingleFunctions,
			'getExecutionCancelSignal' | 'continueOnFail' | 'getNode'
		>,
	) {
		this.stopSignal = context.getExecutionCancelSignal();
		this.signal = combineSignals(this.stopSignal, this.ended.signal);
		this.stopsOnError = !context.continueOnFail();
		this.isAgentStep = context.getNode().rewireOutputLogTo === NodeConnectionTypes.AiTool;
	}

	/** Notes a failed item. With the node set to stop, the first one ends the run. */
	noteFailure(job: Job, reason: unknown): void {
		if (!this.stopsOnError || this.failure !== undefined) return;
		this.failure = { job, reason };
		this.ended.abort();
	}
}
