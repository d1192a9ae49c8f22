import { setTimeout as delay } from 'node:timers/promises';

const LOOK_AGAIN_MS = 200;

/**
 * Waits by polling, for things that send no event.
 *
 * @returns the first result that is neither false nor undefined
 * @throws Error that contains `what`, after `timeoutMs`
 */
export async function waitFor<Result>(
	what: string,
	look: () => Result | Promise<Result>,
	timeoutMs = 60_000,
): Promise<Exclude<Result, false | undefined>> {
	const deadline = Date.now() + timeoutMs;
	for (;;) {
		const result = await look();
		if (result !== false && result !== undefined) {
			return result as Exclude<Result, false | undefined>;
		}
		if (Date.now() > deadline)
			throw new Error(`Timed out after ${timeoutMs / 1000} s waiting for ${what}.`);
		await delay(LOOK_AGAIN_MS);
	}
}
