import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { combineSignals, createSlots } from '../api/pacing';
import { DOWNLOADS_AT_ONCE } from '../download/downloadVideo';
import { RequestFailure } from '../failures/failure';
import { isRunByN8n } from './memory';
import type { Job } from './operation';

/** More requests at once are not faster, and take more memory (`npm run bench -- items`). */
const REQUESTS_AT_ONCE = 64;

/** @throws the problem that keeps an item from being sent */
export function checkJob({ problem, run }: Job): void {
	if (problem !== undefined) throw problem as Error;
	if (run.signal.aborted) throw new RequestFailure('cancelled', { tries: 0 });
}

/** One try of the node with all its input items: the state that the items share. */
export class Run {
	private readonly ended = new AbortController();

	/** n8n's object for all tries of this execution of the node; an agent's own call has none. */
	readonly owner: object;

	/** Aborted when the execution is stopped, or when a failed item ends the run. */
	readonly signal: AbortSignal;

	/** Aborted when the execution is stopped. */
	readonly stopSignal: AbortSignal | undefined;

	/** Whether the first failed item ends the run, as the node's "On Error" is set. */
	readonly stopsOnError: boolean;

	/** Whether an agent's model reads the result. It gets only the message of an error. */
	readonly isAgentStep: boolean;

	/** The failed item that ended the run. */
	failure: { job: Job; reason: unknown } | undefined;

	readonly takeDownloadSlot = createSlots(DOWNLOADS_AT_ONCE);

	private readonly takeRequestSlot = createSlots(REQUESTS_AT_ONCE);

	constructor(
		context: Pick<
			IExecuteSingleFunctions,
			'getExecutionCancelSignal' | 'continueOnFail' | 'getNode' | 'getExecuteData'
		>,
	) {
		this.owner = isRunByN8n(context) ? context.getExecuteData() : this;
		this.stopSignal = context.getExecutionCancelSignal();
		this.signal = combineSignals(this.stopSignal, this.ended.signal);
		this.stopsOnError = !context.continueOnFail();
		this.isAgentStep = context.getNode().rewireOutputLogTo === NodeConnectionTypes.AiTool;
	}

	/**
	 * Sends a request as soon as fewer than REQUESTS_AT_ONCE requests of this run are under way.
	 *
	 * @throws a RequestFailure of the kind `cancelled` when the run has ended meanwhile
	 */
	async request<T>(send: () => Promise<T>): Promise<T> {
		return await this.takeRequestSlot(async () => {
			if (this.signal.aborted) throw new RequestFailure('cancelled', { tries: 0 });
			return await send();
		});
	}

	/** Notes a failed item. With the node set to stop, the first one ends the run. */
	noteFailure(job: Job, reason: unknown): void {
		if (!this.stopsOnError || this.failure !== undefined) return;
		this.failure = { job, reason };
		this.ended.abort();
	}
}
