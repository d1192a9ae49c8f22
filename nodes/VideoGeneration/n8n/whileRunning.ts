import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { onAbort } from '../api/pacing';
import { toLine } from '../failures/texts';

/** The name of the value in the execution's custom data, which n8n shows as "Highlighted data". */
const KEY = 'videos_being_made';

/** n8n's limit for a value. */
const MAX_LENGTH = 255;

/** What lists the videos of each run of an execution, by its signal: an agent's calls run side by side. */
const runs = new WeakMap<AbortSignal, Set<() => string[]>>();

/**
 * Names the queue items that are paid for and still being made in the execution's custom data when it is stopped: n8n
 * saves nothing else of this node then.
 *
 * @returns a function that stops listening
 */
export function nameVideosAtStop(context: IExecuteSingleFunctions, listBeingMade: () => string[]) {
	const signal = context.getExecutionCancelSignal();
	if (signal === undefined) return () => undefined;
	const ofExecution = runs.get(signal) ?? new Set();
	runs.set(signal, ofExecution.add(listBeingMade));
	// n8n saves the execution in the same moment. Each run writes the videos of all.
	const stopListening = onAbort(signal, () => {
		const ids = [...ofExecution].flatMap((list) => list()).map(toLine);
		const named = [...new Set(ids.filter((id) => id !== ''))];
		try {
			if (named.length > 0) context.customData.set(KEY, listNewest(named));
		} catch {
			// A call of n8n's Agents has no execution.
		}
	});
	return () => {
		stopListening();
		ofExecution.delete(listBeingMade);
	};
}

/** As many of the newest IDs as there is room for. */
export function listNewest(ids: string[]): string {
	for (let count = Math.min(ids.length, MAX_LENGTH); count > 0; count--) {
		const left = ids.length - count;
		const text = ids.slice(-count).join(', ') + (left > 0 ? ` and ${left} more` : '');
		if (text.length <= MAX_LENGTH) return text;
	}
	return `${ids.length} with long IDs`;
}
