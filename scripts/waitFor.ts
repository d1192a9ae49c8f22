import { setTimeout as delay } from 'node:timers/promises';

const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 1_000;

/**
 * Waits by polling, for things that send no event. Each pause is a quarter of the time waited so far: n8n
 * spends more on being asked than on what is waited for.
 *
 * @returns the first result that is neither false nor undefined
 * @throws Error that contains `what`, after `timeoutMs`
 */
export async function waitFor<Result>(
	what: string,
	look: () => Result | Promise<Result>,
	timeoutMs = 60_000,
): Promise<Exclude<Result, false | undefined>> {
	const startedAt = Date.now();
	for (;;) {
		const result = await look();
		if (result !== false && result !== undefined) {
			return result as Exclude<Result, false | undefined>;
		}
		const waitedMs = Date.now() - startedAt;
		if (waitedMs > timeoutMs)
			throw new Error(`Timed out after ${timeoutMs / 1000} s waiting for ${what}.`);
		await delay(Math.min(Math.max(waitedMs / 4, MIN_PAUSE_MS), MAX_PAUSE_MS));
	}
}
