import { setTimeout as delay } from 'node:timers/promises';

const LOOK_AGAIN_MS = 20;
const GIVE_UP_MS = 20_000;

/** Looks again and again until something holds, so that no test has to guess how long it takes. */
export async function waitUntil(holds: () => boolean): Promise<void> {
	const deadline = Date.now() + GIVE_UP_MS;
	while (!holds()) {
		if (Date.now() > deadline) throw new Error(`Still not so: ${holds.toString()}`);
		await delay(LOOK_AGAIN_MS);
	}
}
