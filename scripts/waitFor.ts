import { setTimeout as delay } from 'node:timers/promises';

const LOOK_AGAIN_MS = 200;

/**
 * Waits until something is so that sends no event.
 *
 * @throws Error that names it, after `timeoutMs`
 */
export async function waitFor(
	what: string,
	look: () => boolean | Promise<boolean>,
	timeoutMs = 60_000,
): Promise<void> {
	const deadline = Date.now() + timeoutMs;
	while (!(await look())) {
		if (Date.now() > deadline) throw new Error(`Waited for ${what}, in vain`);
		await delay(LOOK_AGAIN_MS);
	}
}
