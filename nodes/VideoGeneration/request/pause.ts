import { sleep } from 'n8n-workflow';

/**
 * Waits, unless one of the signals ends the wait at once.
 *
 * Raced against the signals by hand: only newer versions of n8n's `sleep` listen to one.
 *
 * @returns whether the time has passed; false when a signal has ended the wait
 */
export async function pause(
	delayMs: number,
	signals: (AbortSignal | undefined)[],
): Promise<boolean> {
	const signal = AbortSignal.any(signals.filter((each) => each !== undefined));
	const ended = new Promise<void>((resolve) => {
		if (signal.aborted) resolve();
		signal.addEventListener(
			'abort',
			() => {
				resolve();
			},
			{ once: true },
		);
	});
	await Promise.race([sleep(delayMs, signal).catch(() => undefined), ended]);
	return !signal.aborted;
}
