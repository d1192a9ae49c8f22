import { onAbort } from '../api/pacing';
import { toLine } from '../failures/toLine';
import type { Job } from '../item/job';

/** The name of the value in the execution's custom data, which n8n shows as "Highlighted data". */
const KEY = 'videos_being_made';

/** n8n's limit for a value. */
const MAX_LENGTH = 255;

/**
 * When the execution is stopped, n8n saves nothing of this node but the execution's custom data: they then name
 * the queue items that are paid for, and were still being made.
 *
 * @returns a function that stops listening
 */
export function nameVideosAtStop(jobs: Job[]): () => void {
	const [{ context } = {}] = jobs;
	return onAbort(context?.getExecutionCancelSignal(), () => {
		const ids = jobs.flatMap(({ ledger: { state } }) =>
			state.stage === 'queued' ? toLine(state.queueId ?? '') || [] : [],
		);
		while (ids.join(', ').length > MAX_LENGTH) ids.shift();
		try {
			if (ids.length > 0) context?.customData.set(KEY, ids.join(', '));
		} catch {
			// A call of n8n's Agents has no execution.
		}
	});
}
